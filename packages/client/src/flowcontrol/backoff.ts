import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { systemRandom } from '@coxswain/apimachinery/random';

export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Delays start again after this time without a failure. Twice the maximum delay by default. */
  readonly resetAfterMs?: number;
  readonly clock?: Clock;
  /** Up to this fraction of a delay is added at random. Default: 0. */
  readonly jitterFactor?: number;
  readonly random?: () => number;
}

interface Entry {
  delayMs: number;
  updatedAtMs: number;
}

/**
 * Delays per id that double with every failure and start again after some time without a failure. Holds
 * an entry for every id until `reset` or `gc`.
 */
export class Backoff {
  readonly #entries = new Map<string, Entry>();
  readonly #options: Required<BackoffOptions>;

  constructor(options: BackoffOptions) {
    const { clock = systemClock, jitterFactor = 0, random = systemRandom.number } = options;
    const { resetAfterMs = options.maxMs * 2 } = options;
    this.#options = { ...options, resetAfterMs, clock, jitterFactor, random };
  }

  /** The current delay; 0 for an id without failures. */
  get(id: string): number {
    return this.#entries.get(id)?.delayMs ?? 0;
  }

  /** Records a failure at that time, measured by the clock's `now`. */
  next(id: string, failedAtMs: number): void {
    const { initialMs, maxMs, clock } = this.#options;
    const entry = this.#entries.get(id);
    const delayMs =
      !entry || this.#hasExpired(entry, failedAtMs)
        ? initialMs + this.#jitter(initialMs)
        : Math.min(entry.delayMs * 2 + this.#jitter(entry.delayMs), maxMs);
    this.#entries.set(id, { delayMs, updatedAtMs: clock.now() });
  }

  reset(id: string): void {
    this.#entries.delete(id);
  }

  /** Whether less than the delay has passed since `sinceMs`. */
  isInBackoffSince(id: string, sinceMs: number): boolean {
    const entry = this.#entries.get(id);
    return (
      entry !== undefined && !this.#hasExpired(entry, sinceMs) && this.#options.clock.now() - sinceMs < entry.delayMs
    );
  }

  /** Whether `atMs` is within the delay after the last failure. */
  isInBackoffSinceUpdate(id: string, atMs: number): boolean {
    const entry = this.#entries.get(id);
    return entry !== undefined && !this.#hasExpired(entry, atMs) && atMs - entry.updatedAtMs < entry.delayMs;
  }

  /** Deletes expired entries. Call it periodically. */
  gc(): void {
    const now = this.#options.clock.now();
    for (const [id, entry] of this.#entries) if (this.#hasExpired(entry, now)) this.#entries.delete(id);
  }

  #hasExpired({ updatedAtMs }: Entry, atMs: number): boolean {
    return atMs - updatedAtMs > this.#options.resetAfterMs;
  }

  #jitter(delayMs: number): number {
    return this.#options.random() * this.#options.jitterFactor * delayMs;
  }
}
