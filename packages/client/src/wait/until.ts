import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { type DelayFunction, jitter } from './backoff.ts';

export interface UntilOptions {
  /** Ends the loop. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Whether a wait counts from the end of a run; otherwise from its beginning. True by default. */
  readonly sliding?: boolean;
}

export interface JitterUntilOptions extends UntilOptions {
  /** Each period is longer by up to this part of it, at random. Not above zero, none is. */
  readonly jitterFactor: number;
  readonly random?: () => number;
}

/**
 * Runs the function again and again, with the waits in between that `delay` gives, until the signal is aborted: then it
 * resolves, after the run under way has ended. Rejects with what the function throws.
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

/** Runs the function every period until the signal is aborted. As `backoffUntil`. */
export function until(periodMs: number, run: (signal: AbortSignal) => unknown, options: UntilOptions): Promise<void> {
  return backoffUntil(() => periodMs, run, options);
}

/** Runs the function every period, more or less, until the signal is aborted. As `backoffUntil`. */
export function jitterUntil(
  periodMs: number,
  run: (signal: AbortSignal) => unknown,
  options: JitterUntilOptions,
): Promise<void> {
  const { jitterFactor, random } = options;
  return backoffUntil(() => (jitterFactor > 0 ? jitter(periodMs, jitterFactor, random) : periodMs), run, options);
}

/** Resolves when the time is over or the signal is aborted. */
async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(clock, delayMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
