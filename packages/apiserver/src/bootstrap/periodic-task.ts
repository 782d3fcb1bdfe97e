import { setMaxListeners } from 'node:events';
import { type Clock, sleep } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';

interface PeriodicTaskOptions {
  /** The message to log on failure: `unable to create system namespaces`. */
  readonly failure: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** The delay between attempts before the first success. */
const firstRetryMs = 100;

/**
 * Runs the task until its first success, and then periodically until the signal is aborted, never two runs at once.
 * Resolves after the first success or abort; never rejects. Failures are logged. Does not keep the process alive.
 */
export async function startPeriodicTask(task: () => Promise<unknown>, options: PeriodicTaskOptions): Promise<void> {
  const { failure, intervalMs, clock, signal, logger } = options;
  // All tasks of a server listen on one signal, more than Node's default limit of listeners.
  setMaxListeners(0, signal);
  const attempt = async (): Promise<boolean> => {
    try {
      await task();
      return true;
    } catch (error) {
      if (!signal.aborted) logger.error(failure, error);
      return false;
    }
  };
  while (!signal.aborted && !(await attempt())) await pause(clock, firstRetryMs, signal);
  void (async () => {
    while (await pause(clock, intervalMs, signal)) await attempt();
  })();
}

/** Returns false when the signal was aborted. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(clock, ms, { signal, background: true });
    return true;
  } catch {
    return false;
  }
}
