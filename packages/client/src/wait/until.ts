import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { type DelayFunction, jitter } from './backoff.ts';

export interface UntilOptions {
  /** Ends the loop. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Whether a delay starts at the end of a run (true, the default) or at its beginning. */
  readonly sliding?: boolean;
}

export interface JitterUntilOptions extends UntilOptions {
  /** Each period is extended at random by up to this fraction; no jitter if not positive. */
  readonly jitterFactor: number;
  readonly random?: () => number;
}

/**
 * Runs the function repeatedly, with the delays that `delay` returns, until the signal is aborted. Then it resolves
 * after the current run has ended. Rejects with errors of the function.
 */
export async function backoffUntil(
  delay: DelayFunction,
  run: (signal: AbortSignal) => unknown,
  { signal, clock = systemClock, sliding = true }: UntilOptions,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    let delayMs = sliding ? 0 : delay();
    await run(signal);
    if (sliding) delayMs = delay();
    else delayMs -= clock.monotonic() - startedAt;
    await pause(clock, delayMs, signal);
  }
}

/** Runs the function every period until the signal is aborted. See `backoffUntil`. */
export function until(periodMs: number, run: (signal: AbortSignal) => unknown, options: UntilOptions): Promise<void> {
  return backoffUntil(() => periodMs, run, options);
}

/** Runs the function every period, with jitter, until the signal is aborted. See `backoffUntil`. */
export function jitterUntil(
  periodMs: number,
  run: (signal: AbortSignal) => unknown,
  options: JitterUntilOptions,
): Promise<void> {
  const { jitterFactor, random } = options;
  return backoffUntil(() => (jitterFactor > 0 ? jitter(periodMs, jitterFactor, random) : periodMs), run, options);
}

/** Resolves after the delay or when the signal is aborted. */
async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(clock, delayMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
