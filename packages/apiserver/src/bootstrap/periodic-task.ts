import { setMaxListeners } from 'node:events';
import { type Clock, sleep } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';

interface PeriodicTaskOptions {
  /** What fails, for people: `unable to create system namespaces`. */
  readonly failure: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** How soon it is tried again until it has succeeded once. */
const firstRetryMs = 100;

/**
 * Runs the task until it has succeeded, which is when this resolves, and then again and again until the signal is
 * aborted, never two at once. Failures are reported. Does not keep the process alive. Never rejects.
 */
export async function startPeriodicTask(task: () => Promise<unknown>, options: PeriodicTaskOptions): Promise<void> {
  const { failure, intervalMs, clock, signal, logger } = options;
  // One for each task, and there are more of them than Node thinks there should be.
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

/** False when the signal came first. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(clock, ms, { signal, background: true });
    return true;
  } catch {
    return false;
  }
}
