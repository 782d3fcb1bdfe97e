import type { Clock } from '@coxswain/apimachinery/clock';
import { systemRandom } from '@coxswain/apimachinery/random';

/** How long to wait between tries, and how many there are. */
export interface BackoffPolicy {
  /** The first wait. */
  readonly durationMs: number;
  /** Each wait is so many times the one before. Without it all are the same. */
  readonly factor?: number;
  /** Each wait is longer by up to this part of itself, at random. It does not add up. */
  readonly jitter?: number;
  /** How often the wait may grow; where something is tried, how often that is. None by default. */
  readonly steps?: number;
  /** Waits grow no longer than this; the steps end with the one that reaches it. */
  readonly capMs?: number;
}

/** Says how long to wait, each time it is called. */
export type DelayFunction = () => number;

/** So much, or longer by up to `maxFactor` of it (of all of it when that is not above zero), at random. */
export function jitter(durationMs: number, maxFactor: number, random: () => number = systemRandom.number): number {
  return durationMs * (1 + random() * (maxFactor > 0 ? maxFactor : 1));
}

/** The waits of a backoff, one after the other, with what is left of its steps. */
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

  /** How many steps are left. */
  get left(): number {
    return this.#steps;
  }

  /** The next wait. When no steps are left it stays the same, but for jitter. */
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

/** The waits of a backoff without end: after its steps, always the last. */
export function backoffDelays(backoff: BackoffPolicy, random: () => number = systemRandom.number): DelayFunction {
  const steps = new BackoffSteps(backoff, random);
  return () => steps.next();
}

export interface BackoffWithResetOptions {
  readonly resetMs: number;
  readonly clock: Clock;
  readonly random?: () => number;
}

/** The waits of a backoff, which begins anew when more than `resetMs` have passed since it last began. */
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
