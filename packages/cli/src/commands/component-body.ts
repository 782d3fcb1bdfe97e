import type { FlagTable } from '@coxswain/component-base';
import type { CommandBody, Terminal } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import type { ServerProcess } from '../server-process.ts';

/** A component's main: it reads upstream's flags itself, and gives the exit status. */
type Main = (args: readonly string[], terminal: Terminal, process: ServerProcess) => Promise<number>;

/** A command that hands all it is given to a component. */
export const componentBody = (main: Main, flags: FlagTable = {}): CommandBody<CoxContext> => ({
  passThrough: true,
  flags,
  run: ({ args, context: { terminal, process } }) => main(args, terminal, process),
});
