export type { CommandResult, Commands, RunOptions } from './commands.ts';
export { HelperCommands, type HelperCommandsOptions } from './helper-commands.ts';
