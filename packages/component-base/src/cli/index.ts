/**
 * Programs with subcommands. From a table of commands (`command.ts`) come their help, errors and shell completion, with kubectl's layout
 * and wording. It corresponds to cobra in Go; the flags are those of `@coxswain/component-base`.
 *
 * Where to start: `runProgram`.
 */
export {
  type Arguments,
  type Command,
  type CommandBody,
  type CommandContext,
  type Completer,
  type Completions,
  directives,
  type Invocation,
  type Terminal,
  UsageError,
} from './command.ts';
export { type Program, runProgram } from './run-program.ts';
