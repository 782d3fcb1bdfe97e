import type { FlowClock } from './flow-clock.ts';

/** A clock that stands still until it is turned, and then calls back in order. */
export class FakeClock implements FlowClock {
  #now: number;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  constructor(now = 0) {
    this.#now = now;
  }

  now = (): number => this.#now;

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** To the given time, and no further. */
  turnTo(ms: number): void {
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= ms).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = Math.max(this.#now, ms);
  }

  turn(ms: number): void {
    this.turnTo(this.#now + ms);
  }
}
