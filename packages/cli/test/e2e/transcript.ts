/**
 * A recorded session of commands and their output, in this format:
 *
 * ```
 * Prose begins at the margin.
 *
 *   $ kubectl get pods \
 *   >   --watch=false
 *   No resources found in default namespace.
 *   [exit 1]
 * ```
 */
export interface Transcript {
  readonly steps: readonly Step[];
}

export interface Step {
  /** Prose and empty lines before the command. */
  readonly prose: string;
  readonly command: string;
  /** The output on both streams, without trailing white space; the last line is `[exit N]` if the command failed. */
  readonly output: string;
}

const command = /^ {2}\$ (.*)$/;
const continuation = /^ {2}> ?(.*)$/;

/** Throws if a line is neither prose nor belongs to a command. */
export function parseTranscript(text: string): Transcript {
  const steps: Step[] = [];
  let prose: string[] = [];
  let typed: string[] | undefined;
  let output: string[] = [];
  const finish = () => {
    if (typed) {
      steps.push({ prose: prose.join('\n'), command: typed.join('\n'), output: output.join('\n').trimEnd() });
      prose = [];
      output = [];
      typed = undefined;
    }
  };
  for (const line of text.split('\n')) {
    const started = command.exec(line);
    const continued = output.length === 0 ? continuation.exec(line) : null;
    if (started) {
      finish();
      typed = [started[1] ?? ''];
    } else if (typed && continued) {
      typed.push(continued[1] ?? '');
    } else if (line.startsWith('  ')) {
      if (!typed) {
        throw new Error(`output without a command: ${line}`);
      }
      output.push(line.slice(2));
    } else if (typed && line === '') {
      output.push('');
    } else {
      finish();
      prose.push(line);
    }
  }
  finish();
  return { steps };
}

/** The inverse of {@link parseTranscript}, with an empty line before each piece of prose and each command. */
export function formatTranscript({ steps }: Transcript): string {
  return `${steps.map(formatStep).join('\n')}`;
}

function formatStep({ prose, command, output }: Step): string {
  const said = prose.trim() === '' ? '' : `${prose.trim()}\n\n`;
  const typed = command
    .split('\n')
    .map((line, index) => (index === 0 ? `  $ ${line}` : `  > ${line}`.trimEnd()))
    .join('\n');
  const printed = output === '' ? '' : `${indented(output)}\n`;
  return `${said}${typed}\n${printed}`;
}

function indented(output: string): string {
  const lines = output.split('\n');
  const ambiguous = lines.find((line) => /^[$>]( |$)/.test(line));
  if (ambiguous !== undefined) {
    throw new Error(`output that looks like a command: ${ambiguous}`);
  }
  return lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
}
