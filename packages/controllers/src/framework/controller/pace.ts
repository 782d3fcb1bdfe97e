import type { Clock } from '@coxswain/client';

/**
 * Limits how often the work for a key starts: at once the first time, then at most once per period. When a thousand pods become
 * ready one by one, their owner's status is then written a few times, not a thousand times.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #periodMs: number;
  /** When the work for each key was last started, oldest first. Entries older than a period are removed. */
  readonly #begun = new Map<string, number>();

  constructor(clock: Clock, periodMs: number) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  begin(key: string): void {
    if (this.#periodMs === 0) return;
    const now = this.#clock.monotonic();
    this.#begun.delete(key);
    this.#begun.set(key, now);
    for (const [oldest, at] of this.#begun) {
      if (now - at < this.#periodMs) break;
      this.#begun.delete(oldest);
    }
  }

  /** Returns the milliseconds until the work for the key may start again, or 0 when it may start now. */
  delayOf(key: string): number {
    const at = this.#begun.get(key);
    return at === undefined ? 0 : Math.max(0, at + this.#periodMs - this.#clock.monotonic());
  }
}
