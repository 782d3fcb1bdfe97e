import type { Clock } from '@coxswain/apimachinery/clock';
import { systemRandom } from '@coxswain/apimachinery/random';

/** Delays between tries, and their number. */
export interface BackoffPolicy {
  /** The first delay. */
  readonly durationMs: number;
  /** Factor between successive delays. Without it all delays are equal. */
  readonly factor?: number;
  /** Each delay is extended at random by up to this fraction. Does not accumulate. */
  readonly jitter?: number;
  /** Maximum number of times that the delay grows; for retries, the number of tries. 0 by default. */
  readonly steps?: number;
  /** Maximum delay. When it is reached, no steps are left. */
  readonly capMs?: number;
}

/** Returns the next delay in milliseconds. */
export type DelayFunction = () => number;

/**
 * Returns `durationMs` plus a random part of up to `maxFactor` times `durationMs` (up to 100% if `maxFactor` is not
 * positive).
 */
export function jitter(durationMs: number, maxFactor: number, random: () => number = systemRandom.number): number {
  return durationMs * (1 + random() * (maxFactor > 0 ? maxFactor : 1));
}

/** The successive delays of a backoff, with the number of steps left. */
export class BackoffSteps {
  readonly #backoff: BackoffPolicy;
  readonly #random: () => number;
  #durationMs: number;
  #steps: number;

  constructor(backoff: BackoffPolicy, random: () => number = systemRandom.number) {
    this.#backoff = backoff;
    this.#random = random;
    this.#durationMs = backoff.durationMs;
    this.#steps = backoff.steps ?? 0;
  }

  /** Number of steps left. */
  get left(): number {
    return this.#steps;
  }

  /** Returns the next delay. When no steps are left it no longer grows. */
  next(): number {
    const { factor = 0, jitter: jitterFactor = 0, capMs = 0 } = this.#backoff;
    const now = this.#durationMs;
    if (this.#steps > 0) {
      this.#steps--;
      if (factor !== 0) this.#durationMs = now * factor;
      if (capMs > 0 && this.#durationMs > capMs) {
        this.#durationMs = capMs;
        this.#steps = 0;
      }
    }
    return jitterFactor > 0 ? jitter(now, jitterFactor, this.#random) : now;
  }
}

/** Returns the delays of a backoff without end: after its steps, always the last. */
export function backoffDelays(backoff: BackoffPolicy, random: () => number = systemRandom.number): DelayFunction {
  const steps = new BackoffSteps(backoff, random);
  return () => steps.next();
}

export interface BackoffWithResetOptions {
  readonly resetMs: number;
  readonly clock: Clock;
  readonly random?: () => number;
}

/** Returns the delays of a backoff that restarts when more than `resetMs` have passed since it last started. */
export function backoffDelaysWithReset(
  backoff: BackoffPolicy,
  { resetMs, clock, random = systemRandom.number }: BackoffWithResetOptions,
): DelayFunction {
  let steps = new BackoffSteps(backoff, random);
  let startedAt = clock.monotonic();
  return () => {
    if (clock.monotonic() - startedAt > resetMs) {
      steps = new BackoffSteps(backoff, random);
      startedAt = clock.monotonic();
    }
    return steps.next();
  };
}
