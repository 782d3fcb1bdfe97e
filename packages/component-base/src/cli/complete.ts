import type { FlagTable } from '../flags/flag.ts';
import {
  type Command,
  type CommandContext,
  type Completer,
  type Completions,
  directives,
  type Invocation,
} from './command.ts';
import { type FoundCommand, findCommand, flagNamed, flagsOf, type Step, takesNext } from './find-command.ts';
import { invocationOf } from './invocation.ts';

/** Returns the completions of the last word of `line`. `line` does not include the name of the program. */
export async function complete<Context extends CommandContext>(
  program: Step<Context>,
  line: readonly string[],
  context: Context,
): Promise<Required<Completions>> {
  const word = line.at(-1) ?? '';
  const found = await findCommand(program, line.slice(0, -1));
  const { values, directive = directives.noFiles, prefix = word } = await offered(found, word, context);
  return { values: values.filter((value) => value.startsWith(prefix)), directive };
}

interface Offered extends Completions {
  /** Only values with this prefix are offered. Default: the whole word. */
  readonly prefix?: string;
}

async function offered<Context extends CommandContext>(
  found: FoundCommand<Context>,
  word: string,
  context: Context,
): Promise<Offered> {
  const { steps, words } = found;
  const flags = flagsOf(steps);
  const invocation = lenientInvocation(found, context);
  const valuesOf = (flag: string): Offered | Promise<Offered> => flagValues(steps, flags, flag, invocation, word);
  if (!words.includes('--')) {
    const last = words.at(-1) ?? '';
    if (/^-./.test(last) && flagNamed(last, flags) && takesNext(last, flags)) return valuesOf(last);
    const at = word.indexOf('=');
    if (word.startsWith('-') && at > 0) return { ...(await valuesOf(word.slice(0, at))), prefix: word.slice(at + 1) };
    if (word.startsWith('-')) return { values: [...flagNames(flags), '--help\tPrint this'] };
  }
  const { commands, args } = steps.at(-1)!.body;
  if (commands && invocation.args.length === 0) return { values: commandNames(commands) };
  if (!args || invocation.args.length >= (args.most ?? Number.POSITIVE_INFINITY)) return { values: [] };
  return args.complete ? args.complete(invocation, word) : { values: [], directive: 0 };
}

/** Parses an incomplete command line: drops words from its end until the rest can be parsed. */
function lenientInvocation<Context extends CommandContext>(
  found: FoundCommand<Context>,
  context: Context,
): Invocation<Context> {
  for (let { length } = found.words; length > 0; length--) {
    try {
      return invocationOf({ ...found, words: found.words.slice(0, length) }, context);
    } catch {
      // Retry without the last word.
    }
  }
  return invocationOf({ ...found, words: [] }, context);
}

const commandNames = (commands: readonly Command<never>[]): string[] =>
  commands.filter(({ hidden }) => !hidden).map(({ name, short }) => `${name}\t${short}`);

const flagNames = (flags: FlagTable): string[] =>
  Object.entries(flags).flatMap(([name, { about, shorthand, hidden }]) =>
    hidden ? [] : [`--${name}\t${about}`, ...(shorthand ? [`-${shorthand}\t${about}`] : [])],
  );

function flagValues<Context extends CommandContext>(
  steps: readonly Step<Context>[],
  flags: FlagTable,
  given: string,
  invocation: Invocation<Context>,
  word: string,
): Completions | Promise<Completions> {
  const flag = flagNamed(given, flags);
  const name = Object.keys(flags).find((each) => flags[each] === flag);
  if (!flag || name === undefined) return { values: [] };
  const completer = steps.reduce<Completer<Context> | undefined>(
    (nearest, { body }) => body.completions?.[name] ?? nearest,
    undefined,
  );
  if (completer) return completer(invocation, word);
  if (flag.values) return { values: flag.values };
  if (flag.type.name === '') return { values: ['true', 'false'] };
  return { values: [], directive: flag.type.name.startsWith('string') ? 0 : directives.noFiles };
}
