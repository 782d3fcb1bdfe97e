import { sleep, systemClock } from '@coxswain/apimachinery/clock';
import { isConflict } from '@coxswain/apimachinery/errors';
import { type BackoffPolicy, BackoffSteps } from '../wait/backoff.ts';
import type { WaitOptions } from '../wait/wait-options.ts';

/** For short concurrent changes: five tries, 10 ms apart. */
export const defaultRetry: BackoffPolicy = { steps: 5, durationMs: 10, factor: 1, jitter: 0.1 };

/** For a small change to an object that controllers change often: four tries, 10, 50 and 250 ms apart. */
export const defaultBackoff: BackoffPolicy = { steps: 4, durationMs: 10, factor: 5, jitter: 0.1 };

export interface RetryOptions extends WaitOptions {
  /** Default: `defaultRetry`. */
  readonly backoff?: BackoffPolicy;
  readonly random?: () => number;
}

/**
 * Calls the function, and retries after a delay while it fails with an error that `isRetriable` accepts and the backoff
 * has steps left. Calls it at least once. Resolves with its result; rejects with its last error, or the signal's
 * reason.
 */
export async function retryOnError<T>(
  isRetriable: (error: unknown) => boolean,
  call: () => Promise<T>,
  { backoff = defaultRetry, clock = systemClock, signal, random }: RetryOptions = {},
): Promise<T> {
  const steps = new BackoffSteps(backoff, random);
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (!isRetriable(error)) throw error;
      const delayMs = steps.next();
      if (steps.left === 0) throw error;
      await sleep(clock, delayMs, signal);
    }
  }
}

/**
 * Makes a change that may conflict with other writers: the function reads the object, changes it and writes it. After a
 * conflict it is called again, and must read the object again. See `retryOnError`.
 *
 * ```ts
 * await retryOnConflict(async () => {
 *   const pod = await pods.get('web');
 *   return pods.updateStatus({ ...pod, status: { ...pod.status, phase: 'Failed' } });
 * });
 * ```
 */
export const retryOnConflict = <T>(call: () => Promise<T>, options?: RetryOptions): Promise<T> =>
  retryOnError(isConflict, call, options);
