import { type Environment, parseScript } from './shell-script.ts';

/** What a command would do. */
export interface Outcome {
  /** Infinity for a command that never exits by itself. */
  readonly runForMs: number;
  readonly exitCode: number;
  /** The lines that the command prints. Undefined if they cannot be predicted. */
  readonly output?: readonly OutputLine[] | undefined;
}

/** A line of output, and how long after the start it is printed. */
export interface OutputLine {
  readonly afterMs: number;
  text(atMs: number): string;
}

/** What a container runs, with references to variables expanded. */
export interface CommandLine {
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** The variables that the pod sets. The image may set others, which are unknown. */
  readonly env?: Environment;
}

type Words = readonly (string | undefined)[];

const success: Outcome = { runForMs: 0, exitCode: 0, output: [] };
const forever: Outcome = { runForMs: Number.POSITIVE_INFINITY, exitCode: 0, output: [] };
/** The command succeeds at once, and its output is unknown. */
const fetched: Outcome = { runForMs: 0, exitCode: 0 };

/** The programs whose outcome can be predicted. Each function returns undefined for arguments with which it cannot. */
const programs: Readonly<Record<string, (args: Words, env: Environment) => Outcome | undefined>> = {
  true: () => success,
  ':': () => success,
  echo: echoOutcome,
  printenv: printenvOutcome,
  date: (args) => ({ ...success, output: args.length === 0 ? [{ afterMs: 0, text: dateText }] : undefined }),
  // The server that these would call is hollow, too. They succeed, so that a Helm chart's test that fetches the chart's own page passes.
  wget: () => fetched,
  curl: () => fetched,
  false: () => ({ ...success, exitCode: 1 }),
  exit: ([code]) =>
    code !== undefined && /^\d+$/.test(code) ? { ...success, exitCode: Number(code) % 256 } : undefined,
  sleep: sleepOutcome,
  tail: ([flag, file]) =>
    flag === '-f' || flag === '-F' ? { ...forever, output: file === '/dev/null' ? [] : undefined } : undefined,
  pause: () => forever,
  sh: shellOutcome,
  ash: shellOutcome,
  bash: shellOutcome,
  dash: shellOutcome,
};

/** Returns what a container would do. Undefined if that cannot be predicted. */
export function containerOutcome({ image, command, args, env }: CommandLine): Outcome | undefined {
  if (command.length === 0 && /(^|\/)pause([:@][^/]*)?$/.test(image)) return forever;
  // The image's entrypoint is unknown. If the arguments alone name a known program, the entrypoint is assumed to run it.
  return commandOutcome([...command, ...args], env);
}

/** Returns what a command would do. Undefined if that cannot be predicted. */
export function commandOutcome([path, ...args]: Words, env: Environment = new Map()): Outcome | undefined {
  const name = path?.replace(/^(?:(?:\/usr)?(?:\/local)?\/bin)?\//, '') ?? '';
  return Object.hasOwn(programs, name) ? programs[name]!(args, env) : undefined;
}

const unitMs: Readonly<Record<string, number>> = { '': 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function sleepOutcome(times: Words): Outcome | undefined {
  let runForMs = 0;
  for (const time of times) {
    const [, count, unit = ''] = /^(\d+|\d*\.\d+|inf|infinity)([smhd]?)$/.exec(time ?? '') ?? [];
    if (count === undefined) return undefined;
    runForMs += (count.startsWith('inf') ? Number.POSITIVE_INFINITY : Number(count)) * unitMs[unit]!;
  }
  return times.length > 0 ? { ...success, runForMs } : undefined;
}

/** The output is unknown if there are options or backslashes, which shells treat differently. */
function echoOutcome(words: Words): Outcome {
  const isKnown = !words.some((word) => word === undefined || word.includes('\\')) && !words[0]?.startsWith('-');
  return { ...success, output: isKnown ? [{ afterMs: 0, text: () => words.join(' ') }] : undefined };
}

function printenvOutcome([name, ...others]: Words, env: Environment): Outcome | undefined {
  const value = name === undefined || others.length > 0 ? undefined : env.get(name);
  return value === undefined ? undefined : { ...success, output: [{ afterMs: 0, text: () => value }] };
}

/** Returns the time as `date` prints it: `Tue Nov 17 06:45:00 UTC 2026`. */
function dateText(atMs: number): string {
  const [weekday, day, month, year, time] = new Date(atMs).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day?.replace(/^0/, ' ')} ${time} UTC ${year}`;
}

function shellOutcome([flag, script]: Words, env: Environment): Outcome | undefined {
  return flag === '-c' && script !== undefined ? scriptOutcome(script, env) : undefined;
}

function scriptOutcome(script: string, env: Environment): Outcome | undefined {
  const steps = parseScript(script, env);
  if (!steps) return undefined;
  let { runForMs, exitCode, output } = success;
  for (const { after, words } of steps) {
    if (after !== ';' && (after === '&&') !== (exitCode === 0)) continue;
    const [first, ...rest] = words;
    if (first === 'exit' && rest.length === 0) break;
    const outcome = commandOutcome(first === 'exec' ? rest : words, env);
    if (!outcome) return undefined;
    const startsAtMs = runForMs;
    const added = outcome.output?.map(({ afterMs, text }) => ({ afterMs: startsAtMs + afterMs, text }));
    output = output && added && [...output, ...added];
    runForMs += outcome.runForMs;
    exitCode = outcome.exitCode;
    if (first === 'exit' || first === 'exec' || runForMs === Number.POSITIVE_INFINITY) break;
  }
  return { runForMs, exitCode, output };
}
