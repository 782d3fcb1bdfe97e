import type { Commands } from '@coxswain/linux';

/** A program of the machine failed: its name, its exit status, and what it printed. */
export class ProgramError extends Error {
  readonly status: number;
  readonly output: string;

  constructor(name: string, status: number, output: string) {
    const text = output.trim();
    super(`${name} failed: ${text === '' ? `exit status ${status}` : text}`);
    this.status = status;
    this.output = text;
  }
}

/** Runs a program and returns what it printed. Throws a `ProgramError` if its exit status is not 0. */
export async function runProgram(commands: Commands, argv: readonly string[], signal?: AbortSignal): Promise<string> {
  const { status, output } = await commands.run(argv, { signal });
  if (status !== 0) throw new ProgramError(programOf(argv), status, output);
  return output;
}

/** Runs a program with a text as its standard input, such as rules for `nft -f -`. */
export function runWithInput(
  commands: Commands,
  argv: readonly string[],
  input: string,
  signal?: AbortSignal,
): Promise<string> {
  // A pipe: a here-document would be a file. The text is an argument, of which the kernel takes 128 KiB.
  const parts = splitAtBytes(input, 100_000);
  return runProgram(commands, ['sh', '-c', feed(parts.length), 'sh', ...parts, ...argv], signal);
}

/** Prints the first arguments into the program that the other ones name. Its exit status is the program's. */
const feed = (count: number): string => {
  const parts = Array.from({ length: count }, (_, i) => `p${i}=$1; shift`).join('; ');
  const prints = Array.from({ length: count }, (_, i) => `printf %s "$p${i}"`).join('; ');
  return `${parts}; { ${prints}; } | "$@"`;
};

function splitAtBytes(text: string, size: number): string[] {
  const parts: string[] = [];
  // A character has at most 3 bytes for each of its UTF-16 units.
  for (let at = 0; at < text.length || parts.length === 0; at += size / 4) parts.push(text.slice(at, at + size / 4));
  return parts;
}

/** The name in messages: of a script, the program that it feeds is unknown, so the script's shell is not named. */
const programOf = (argv: readonly string[]): string =>
  argv[0] === 'sh'
    ? (argv.slice(3).find((argument) => /^(?:ip|nft|ip6?tables[a-z-]*)$/.test(argument)) ?? 'the command')
    : argv[0]!;
