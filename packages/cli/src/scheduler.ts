import { parseSchedulerOptions, runScheduler, schedulerFlags, schedulerHelp } from '@coxswain/scheduler';
import { componentBody } from './commands/component-body.ts';
import { runComponent } from './component-command.ts';
import type { Terminal } from './main.ts';
import type { ServerProcess } from './server-process.ts';

/** `cox scheduler`: kube-scheduler, with its flags. */
export function scheduler(args: readonly string[], terminal: Terminal, process: ServerProcess): Promise<number> {
  const component = {
    name: 'kube-scheduler',
    command: 'cox scheduler',
    started: 'the scheduler is running',
    parse: parseSchedulerOptions,
    help: schedulerHelp,
    run: runScheduler,
  };
  return runComponent(component, args, terminal, process);
}

export const schedulerCommand = componentBody(scheduler, schedulerFlags);
