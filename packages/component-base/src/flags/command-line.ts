import { camelCase, type Flag, type Given } from './flag.ts';
import { boolean } from './flag-types.ts';
import { OptionsError } from './options-error.ts';
import type { IgnoredFlag, RefusedFlag } from './other-flags.ts';
import { FlagError, type KnownFlag, parseFlags } from './parse-flags.ts';
import { printedVersion, versionFlag } from './version-flag.ts';

/** The flags of a component, and their validation. */
export interface CommandLineForm<Flags extends Readonly<Record<string, Flag<unknown>>>> {
  /** Upstream's name of the component, for messages. */
  readonly component: string;
  /** The subject of messages about refused flags: `this server`. */
  readonly self: string;
  readonly flags: Flags;
  readonly ignored: Readonly<Record<string, IgnoredFlag>>;
  readonly refused: Readonly<Record<string, RefusedFlag>>;
  /** Returns the problems of the options. Each message names its flag. */
  readonly validate: (given: Given<Flags>) => readonly string[];
}

export type CommandLine<Options> =
  | { readonly wanted: 'help' }
  | { readonly wanted: 'version'; readonly text: string }
  | {
      readonly wanted: 'run';
      readonly options: Options;
      /** One line, for the log, per flag that was given but has no effect, where that could surprise. */
      readonly notices: readonly string[];
      /** The version to report, when `--version` overrides ours. */
      readonly gitVersion?: string;
    };

/**
 * Parses a component's command line. `otherwise` holds the values of flags that are not given. Throws a FlagError for an unknown flag or an
 * invalid value, and an OptionsError with all refused flags and validation problems.
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

/** Returns a message for each given flag that asks for an unsupported feature. */
export const refusals = (
  form: Pick<CommandLineForm<never>, 'refused' | 'self'>,
  texts: ReadonlyMap<string, string>,
): string[] => [...texts].flatMap(([name, text]) => refusal(form, name, text) ?? []);

/** Returns a message for each given flag that has no effect, where that could surprise. */
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
