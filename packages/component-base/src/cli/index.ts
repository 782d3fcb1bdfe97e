/**
 * The command line of a program with commands: a table of them (`command.ts`), from which their help, their errors and the completion of
 * shells are made, laid out and worded as those of kubectl. It is what cobra is to Go's programs; the flags are those of
 * `@coxswain/component-base`.
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
