import { type FlagTable, flag } from '../flags/flag.ts';
import { boolean } from '../flags/flag-types.ts';
import type { KnownFlag } from '../flags/parse-flags.ts';
import type { Command, CommandBody, CommandContext } from './command.ts';

/** A command on the path from the program to the command that runs. */
export interface Step<Context extends CommandContext> {
  readonly name: string;
  readonly short: string;
  readonly body: CommandBody<Context>;
}

export interface FoundCommand<Context extends CommandContext> {
  /** From the program to the command. Never empty. */
  readonly steps: readonly Step<Context>[];
  /** The words of the line that are not command names, in order. */
  readonly words: readonly string[];
}

/** Resolves the commands that a line names, as deep as they exist. Flags may precede a command name: `cox -v 4 status`. */
export async function findCommand<Context extends CommandContext>(
  program: Step<Context>,
  line: readonly string[],
): Promise<FoundCommand<Context>> {
  const steps = [program];
  let words = line;
  for (;;) {
    const { commands } = steps.at(-1)!.body;
    const at = commands ? indexOfName(words, flagsOf(steps)) : -1;
    const command = commands?.find((each) => isNamed(each, words[at]));
    if (!command) return { steps, words };
    words = words.toSpliced(at, 1);
    steps.push({ name: command.name, short: command.short, body: await command.load() });
  }
}

/** `cox generate types` */
export const pathOf = (steps: readonly Step<never>[]): string => steps.map(({ name }) => name).join(' ');

/** All flags of the last command: its own, and the persistent flags of its parents. */
export function flagsOf<Context extends CommandContext>(steps: readonly Step<Context>[]): FlagTable {
  const { flags, flagGroups, version } = steps.at(-1)!.body;
  const persistent = steps.map(({ body }) => body.persistentFlags);
  return Object.assign(
    {},
    ...persistent,
    ...Object.values(flagGroups ?? {}),
    flags,
    version && { version: versionFlag },
  );
}

export const versionFlag = flag(boolean, 'Print version information and quit', false);

const isNamed = ({ name, aliases }: Command<never>, word: string | undefined): boolean =>
  word === name || (word !== undefined && aliases?.includes(word) === true);

/** Returns the index of the first word that is neither a flag nor the value of one; -1 when there is none. */
function indexOfName(words: readonly string[], flags: FlagTable): number {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--') return -1;
    if (!word.startsWith('-') || word === '-') return i;
    if (takesNext(word, flags)) i++;
  }
  return -1;
}

/** Whether the flag's value is the next word. True for unknown flags, as in cobra. */
export function takesNext(word: string, flags: FlagTable): boolean {
  if (word.includes('=')) return false;
  if (!word.startsWith('--') && word.length > 2) return false;
  const flag: KnownFlag | undefined = flagNamed(word, flags);
  return (flag?.alone ?? flag?.type.alone) === undefined;
}

/** Returns the flag for `--name` or `-n`. */
export function flagNamed(word: string, flags: FlagTable): FlagTable[string] | undefined {
  if (word.startsWith('--')) {
    const name = word.slice(2).replaceAll('_', '-');
    return Object.hasOwn(flags, name) ? flags[name] : undefined;
  }
  return Object.values(flags).find(({ shorthand }) => shorthand === word.slice(1));
}
