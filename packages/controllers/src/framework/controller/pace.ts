import type { Clock } from '@coxswain/client';

/**
 * Keeps the same thing from being done again and again in short succession: the first time at once, then once in a period. A
 * thousand pods that become ready one by one are a few writes of their owner's status then, not a thousand.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #periodMs: number;
  /** When each key was begun last; those of more than a period ago are forgotten, the oldest first. */
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

  /** How long to wait until it may begin again; 0: not at all. */
  delayOf(key: string): number {
    const at = this.#begun.get(key);
    return at === undefined ? 0 : Math.max(0, at + this.#periodMs - this.#clock.monotonic());
  }
}
