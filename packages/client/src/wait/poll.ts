import { sleep, systemClock } from '@coxswain/apimachinery/clock';
import { type BackoffPolicy, BackoffSteps } from './backoff.ts';
import { childSignal, untilAborted } from './child-signal.ts';
import type { WaitCondition, WaitOptions } from './wait-options.ts';
import { WaitTimeoutError } from './wait-timeout-error.ts';

export interface PollOptions extends WaitOptions {
  readonly intervalMs: number;
  /** No timeout by default. */
  readonly timeoutMs?: number;
  /** Whether to check the condition before the first interval as well. */
  readonly immediate?: boolean;
}

/**
 * Checks the condition every interval until it is true. An interval starts with a check; after a check that took
 * longer, the next follows at once. Rejects with errors of the condition, with a `WaitTimeoutError` after the timeout,
 * and with the signal's reason. The last two also interrupt a running check, whose signal is aborted.
 */
export async function pollUntil(
  { intervalMs, timeoutMs, immediate = false, clock = systemClock, signal: parent }: PollOptions,
  condition: WaitCondition,
): Promise<void> {
  const { signal, dispose } = childSignal({ parent, timeoutMs, clock, onTimeout: () => new WaitTimeoutError() });
  try {
    let next = clock.monotonic();
    if (!immediate) next += intervalMs;
    for (;;) {
      const delayMs = next - clock.monotonic();
      if (delayMs > 0) await sleep(clock, delayMs, signal);
      next = Math.max(next, clock.monotonic()) + intervalMs;
      if (await look(condition, signal)) return;
    }
  } finally {
    dispose();
  }
}

export interface ExponentialBackoffOptions extends WaitOptions {
  readonly random?: () => number;
}

/**
 * Checks the condition up to as many times as the backoff has steps, with its delays in between. Rejects with errors of
 * the condition, with a `WaitTimeoutError` after the last step, and with the signal's reason.
 */
export async function exponentialBackoff(
  backoff: BackoffPolicy,
  condition: WaitCondition,
  { clock = systemClock, signal = new AbortController().signal, random }: ExponentialBackoffOptions = {},
): Promise<void> {
  const steps = new BackoffSteps(backoff, random);
  while (steps.left > 0) {
    if (await look(condition, signal)) return;
    const delayMs = steps.next();
    if (steps.left > 0) await sleep(clock, delayMs, signal);
  }
  throw new WaitTimeoutError();
}

async function look(condition: WaitCondition, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  return untilAborted(Promise.resolve(condition(signal)), signal);
}
