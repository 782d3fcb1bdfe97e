import { FlagError, OptionsError } from '@coxswain/component-base';
import { parseSchedulerOptions, runScheduler, schedulerHelp } from '@coxswain/scheduler';
import type { Terminal } from './main.ts';
import { newLogger, reasonOf, runUntilStopped, type ServerProcess } from './server-process.ts';

/**
 * `cox scheduler`: kube-scheduler, with its flags. Runs until a signal comes, stops in good order, and gives the exit status;
 * a second signal ends the process at once. Never throws.
 */
export async function scheduler(args: readonly string[], terminal: Terminal, process: ServerProcess): Promise<number> {
  const logger = newLogger(terminal, () => new Date());
  try {
    const parsed = parseSchedulerOptions(args);
    if (parsed.wanted !== 'run') {
      terminal.out(parsed.wanted === 'help' ? schedulerHelp('cox scheduler') : 'Kubernetes v1.36.4\n');
      return 0;
    }
    for (const notice of parsed.notices) logger.info(notice);
    const onStarted = (): void => terminal.out('the scheduler is running\n');
    await runUntilStopped(process, logger, (signal) =>
      runScheduler(parsed.options, { logger, env: process.env, onStarted }, signal),
    );
    return 0;
  } catch (error) {
    for (const line of explained(error)) terminal.err(`error: ${line}\n`);
    return 1;
  }
}

/** What is wrong, and what to do about it: a line each. */
function explained(error: unknown): string[] {
  if (error instanceof OptionsError) return [...error.problems];
  if (error instanceof FlagError) return [`${error.message}; cox scheduler --help lists all flags`];
  return [reasonOf(error)];
}
