import {
  boolean,
  camelCase,
  FlagError,
  type FlagType,
  type KnownFlag,
  OptionsError,
  parseFlags,
  withDefaults,
} from '@coxswain/component-base';
import { type ApiServerOptions, apiServerFlags } from './api-server-flags.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { validateOptions } from './validate-options.ts';

/** `--version`, `--version=raw`; `--version=false` is none. */
const version: FlagType<string> = { name: 'version', alone: 'true', read: (text) => text };

const knownFlags: ReadonlyMap<string, KnownFlag> = new Map<string, KnownFlag>([
  ...Object.entries(apiServerFlags).map(([name, { type }]) => [name, { type }] as const),
  ...Object.entries(ignoredFlags),
  ...Object.entries(refusedFlags),
  ['help', { type: boolean, shorthand: 'h' }],
  ['version', { type: version }],
]);

export type ParsedCommandLine =
  | { readonly wanted: 'help' | 'version' }
  | {
      readonly wanted: 'server';
      readonly options: ApiServerOptions;
      /** What was given and makes no difference, where that could surprise: a line each, for the log. */
      readonly notices: readonly string[];
    };

/**
 * Reads kube-apiserver's command line; `otherwise` is what holds where it says nothing. Throws a FlagError for a flag that
 * nobody knows or a value that is none, and an OptionsError with everything that cannot work or is not there.
 */
export function parseOptions(args: readonly string[], otherwise: ApiServerOptions = {}): ParsedCommandLine {
  const { values, texts, rest } = parseFlags(args, knownFlags);
  if (values.get('help')) return { wanted: 'help' };
  if (values.has('version') && texts.get('version') !== 'false') return { wanted: 'version' };
  if (rest.length > 0) {
    const words = rest.map((word) => JSON.stringify(word)).join(' ');
    throw new FlagError(`"kube-apiserver" does not take any arguments, got [${words}]`);
  }
  const given = [...values].filter(([name]) => Object.hasOwn(apiServerFlags, name));
  const options: ApiServerOptions = {
    ...otherwise,
    ...Object.fromEntries(given.map(([name, value]) => [camelCase(name), value])),
  };
  const problems = [
    ...[...texts].flatMap(([name, text]) => refusal(name, text) ?? []),
    ...validateOptions(withDefaults(apiServerFlags, options)),
  ];
  if (problems.length > 0) throw new OptionsError(problems);
  const notices = [...texts.keys()].flatMap((name) => {
    const flag = Object.hasOwn(ignoredFlags, name) ? ignoredFlags[name] : undefined;
    return flag?.tell ? [`--${name} makes no difference: ${flag.why}`] : [];
  });
  return { wanted: 'server', options, notices };
}

function refusal(name: string, text: string): string | undefined {
  const flag = Object.hasOwn(refusedFlags, name) ? refusedFlags[name] : undefined;
  if (!flag || flag.harmless.includes(text)) return undefined;
  return `--${name}: this server does not have ${flag.what}; ${flag.instead ?? 'leave the flag out'}`;
}
