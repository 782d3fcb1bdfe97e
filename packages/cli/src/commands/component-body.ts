import type { FlagTable } from '@coxswain/component-base';
import type { CommandBody, Terminal } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import type { ServerProcess } from '../server-process.ts';

/** The main function of a component. It parses upstream's flags itself, and returns the exit status. */
type Main = (args: readonly string[], terminal: Terminal, process: ServerProcess) => Promise<number>;

/** Returns a command that passes all its arguments to a component. */
export const componentBody = (main: Main, flags: FlagTable = {}): CommandBody<CoxContext> => ({
  passThrough: true,
  flags,
  run: ({ args, context: { terminal, process } }) => main(args, terminal, process),
});
