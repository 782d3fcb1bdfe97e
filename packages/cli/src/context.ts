import type { CommandContext } from '@coxswain/component-base/cli';
import type { ServerProcess } from './server-process.ts';

/** What the commands of `cox` are given. */
export interface CoxContext extends CommandContext {
  readonly process: ServerProcess;
}
