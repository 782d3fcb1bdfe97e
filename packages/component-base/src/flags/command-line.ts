import { camelCase, type Flag, type Given } from './flag.ts';
import { boolean } from './flag-types.ts';
import { OptionsError } from './options-error.ts';
import type { IgnoredFlag, RefusedFlag } from './other-flags.ts';
import { FlagError, type KnownFlag, parseFlags } from './parse-flags.ts';
import { printedVersion, versionFlag } from './version-flag.ts';

/** What a component's command line may say. */
export interface CommandLineForm<Flags extends Readonly<Record<string, Flag<unknown>>>> {
  /** Upstream's name of the component, for messages. */
  readonly component: string;
  /** What it is called in messages about what it does not have: `this server`. */
  readonly self: string;
  readonly flags: Flags;
  readonly ignored: Readonly<Record<string, IgnoredFlag>>;
  readonly refused: Readonly<Record<string, RefusedFlag>>;
  /** What cannot work, each naming its flag. */
  readonly validate: (given: Given<Flags>) => readonly string[];
}

export type CommandLine<Options> =
  | { readonly wanted: 'help' }
  | { readonly wanted: 'version'; readonly text: string }
  | {
      readonly wanted: 'run';
      readonly options: Options;
      /** What was given and makes no difference, where that could surprise: a line each, for the log. */
      readonly notices: readonly string[];
      /** The version to tell, where `--version` says another than ours. */
      readonly gitVersion?: string;
    };

/**
 * Reads a component's command line; `otherwise` is what holds where it says nothing. Throws a FlagError for a flag that nobody
 * knows or a value that is none, and an OptionsError with everything that cannot work or is not there.
 */
export function readCommandLine<Flags extends Readonly<Record<string, Flag<unknown>>>>(
  args: readonly string[],
  form: CommandLineForm<Flags>,
  otherwise: Given<Flags>,
): CommandLine<Given<Flags>> {
  const { component, flags, ignored, refused, validate } = form;
  const known = new Map<string, KnownFlag>([
    ...Object.entries(flags),
    ...Object.entries(ignored),
    ...Object.entries(refused),
    ['help', { type: boolean, shorthand: 'h' }],
    ['version', { type: versionFlag }],
  ]);
  const { values, texts, rest } = parseFlags(args, known);
  if (values.get('help')) return { wanted: 'help' };
  const version = values.get('version') ?? 'none';
  if (version === 'print' || version === 'raw') return { wanted: 'version', text: printedVersion(version) };
  if (rest.length > 0) {
    const words = rest.map((word) => JSON.stringify(word)).join(' ');
    throw new FlagError(`"${component}" does not take any arguments, got [${words}]`);
  }
  const given = [...values].filter(([name]) => Object.hasOwn(flags, name));
  const options = { ...otherwise, ...Object.fromEntries(given.map(([name, value]) => [camelCase(name), value])) };
  const problems = [...refusals(form, texts), ...validate(options)];
  if (problems.length > 0) throw new OptionsError(problems);
  const told = typeof version === 'string' && version !== 'none' && { gitVersion: version };
  return { wanted: 'run', options, notices: notices(form, texts), ...told };
}

/** What is wrong with the flags that were given: a line for each that asks for something that is not there. */
export const refusals = (
  form: Pick<CommandLineForm<never>, 'refused' | 'self'>,
  texts: ReadonlyMap<string, string>,
): string[] => [...texts].flatMap(([name, text]) => refusal(form, name, text) ?? []);

/** A line for each flag that was given and makes no difference, where that could surprise. */
export const notices = (
  { ignored }: Pick<CommandLineForm<never>, 'ignored'>,
  texts: ReadonlyMap<string, string>,
): string[] =>
  [...texts.keys()].flatMap((name) => {
    const flag = Object.hasOwn(ignored, name) ? ignored[name] : undefined;
    return flag?.tell ? [`--${name} makes no difference: ${flag.why}`] : [];
  });

function refusal(
  { refused, self }: Pick<CommandLineForm<never>, 'refused' | 'self'>,
  name: string,
  text: string,
): string | undefined {
  const flag = Object.hasOwn(refused, name) ? refused[name] : undefined;
  if (!flag || flag.harmless.includes(text)) return undefined;
  return `--${name}: ${self} does not have ${flag.what}; ${flag.instead ?? 'leave the flag out'}`;
}
