import type { CommandContext } from '@coxswain/component-base/cli';
import type { ServerProcess } from './server-process.ts';

/** The context of `cox`'s commands. */
export interface CoxContext extends CommandContext {
  readonly process: ServerProcess;
}
