/** What every plug-in is made from, and how it reads its part of a Corefile. */
export {
  durationOf,
  Fallthrough,
  integerOf,
  noArguments,
  noBlock,
  oneArgument,
  onlyOne,
  originsOf,
} from './options.ts';
export type {
  BlockInfo,
  ConfigurationFiles,
  Page,
  ServerSettings,
  Setup,
  SetupContext,
} from './setup-context.ts';
