/**
 * `@coxswain/component-base`: what all components have in common. This is the command line: flags are read as Go's programs
 * read them, because scripts and people have them that way. The port with health and metrics is
 * `@coxswain/component-base/serving`, and what that is made of are the other folders; a program with commands is made with
 * `@coxswain/component-base/cli`.
 *
 * Where to start: `flags/flag.ts` describes a flag, `flags/parse-flags.ts` reads a command line.
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
