import { FlagError, OptionsError } from '@coxswain/component-base';
import { controllerManagerHelp, parseControllerManagerOptions, runControllerManager } from '@coxswain/controllers';
import type { Terminal } from './main.ts';
import { newLogger, reasonOf, runUntilStopped, type ServerProcess } from './server-process.ts';

/**
 * `cox controller-manager`: kube-controller-manager, with its flags. Runs until a signal comes, stops in good order, and gives
 * the exit status; a second signal ends the process at once. Never throws.
 */
export async function controllerManager(
  args: readonly string[],
  terminal: Terminal,
  process: ServerProcess,
): Promise<number> {
  const logger = newLogger(terminal, () => new Date());
  try {
    const parsed = parseControllerManagerOptions(args);
    if (parsed.wanted !== 'run') {
      terminal.out(parsed.wanted === 'help' ? controllerManagerHelp('cox controller-manager') : 'Kubernetes v1.36.4\n');
      return 0;
    }
    for (const notice of parsed.notices) logger.info(notice);
    const onStarted = (): void => terminal.out('controllers are running\n');
    await runUntilStopped(process, logger, (signal) =>
      runControllerManager(parsed.options, { logger, env: process.env, onStarted }, signal),
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
  if (error instanceof FlagError) return [`${error.message}; cox controller-manager --help lists all flags`];
  return [reasonOf(error)];
}
