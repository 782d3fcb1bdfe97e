/**
 * `@coxswain/component-base`: the parts that all components share. The root export is the command line: flags are parsed as Go's pflag
 * parses them, so that existing scripts and habits keep working. `@coxswain/component-base/serving` serves health and metrics and is built
 * from the other folders. `@coxswain/component-base/cli` builds programs with subcommands.
 *
 * Where to start: `flags/flag.ts` describes a flag, `flags/parse-flags.ts` parses a command line.
 */
export { type CommandLine, type CommandLineForm, notices, readCommandLine, refusals } from './flags/command-line.ts';
export { parseCsv } from './flags/csv.ts';
export { type Completed, camelCase, type Flag, type FlagTable, flag, type Given, withDefaults } from './flags/flag.ts';
export { flagGroupHelp, flagNamesHelp, wrapped } from './flags/flag-help.ts';
export {
  boolean,
  duration,
  type FlagType,
  float,
  integer,
  integerBetween,
  ip,
  list,
  mapping,
  type NamedCertificate,
  namedCertificates,
  pair,
  readBoolean,
  string,
  stringArray,
  strings,
  unsigned,
} from './flags/flag-types.ts';
export { OptionsError } from './flags/options-error.ts';
export {
  type IgnoredFlag,
  ignored,
  type RefusedFlag,
  refused,
  refusedUnless,
  told,
} from './flags/other-flags.ts';
export {
  FlagError,
  type KnownFlag,
  type ParsedFlags,
  type ParseFlagsOptions,
  parseFlags,
} from './flags/parse-flags.ts';
