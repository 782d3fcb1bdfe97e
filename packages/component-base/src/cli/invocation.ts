import { type Completed, camelCase, type FlagTable, type Given, withDefaults } from '../flags/flag.ts';
import { boolean } from '../flags/flag-types.ts';
import { type FlagError, type KnownFlag, parseFlags } from '../flags/parse-flags.ts';
import { type Arguments, type CommandContext, type Invocation, UsageError } from './command.ts';
import { type FoundCommand, flagsOf, pathOf } from './find-command.ts';
import { nearestOf } from './suggestions.ts';

const helpFlag: KnownFlag = { type: boolean, shorthand: 'h' };

/** Parses the words of a command. Throws a FlagError with pflag's message. */
export function invocationOf<Context extends CommandContext>(
  { steps, words }: FoundCommand<Context>,
  context: Context,
): Invocation<Context> & { readonly wants: 'run' | 'help' | 'version' } {
  const { body } = steps.at(-1)!;
  const known = new Map<string, KnownFlag>([['help', helpFlag], ...Object.entries(flagsOf(steps))]);
  const { values, texts, rest, argsBeforeDash } = body.passThrough
    ? { values: new Map<string, unknown>(), texts: new Map<string, string>(), rest: words, argsBeforeDash: undefined }
    : parseFlags(words, known, { interspersed: body.interspersed ?? true });
  const given = <Flags extends FlagTable>(flags: Flags): Given<Flags> =>
    Object.fromEntries(
      Object.keys(flags).flatMap((name) => (values.has(name) ? [[camelCase(name), values.get(name)]] : [])),
    ) as Given<Flags>;
  return {
    context,
    path: pathOf(steps),
    words,
    args: rest,
    argsBeforeDash,
    texts,
    given,
    flags: <Flags extends FlagTable>(flags: Flags): Completed<Flags> => withDefaults(flags, given(flags)),
    wants: values.get('help') === true ? 'help' : body.version && values.get('version') === true ? 'version' : 'run',
  };
}

/** Throws a UsageError with cobra's message when there are too few or too many arguments. */
export function checkArguments(path: string, words: readonly string[], args: Arguments<never> | undefined): void {
  const count = words.length;
  if (!args) {
    if (count > 0) throw new UsageError(`unknown command ${JSON.stringify(words[0])} for ${JSON.stringify(path)}`);
    return;
  }
  const { least = 0, most = Number.POSITIVE_INFINITY } = args;
  if (least === most && count !== least) throw new UsageError(`accepts ${least} arg(s), received ${count}`);
  if (count < least) throw new UsageError(`requires at least ${least} arg(s), only received ${count}`);
  if (count > most) throw new UsageError(`accepts at most ${most} arg(s), received ${count}`);
}

/** Returns a line that suggests the nearest flag name, or an empty string. */
export function flagSuggestion(error: FlagError, flags: FlagTable): string {
  if (error.unknown === undefined) return '';
  const names = Object.keys(flags).filter((name) => !flags[name]?.hidden);
  const name = nearestOf(error.unknown, names);
  return name === undefined ? '' : `Did you mean --${name}?\n`;
}
