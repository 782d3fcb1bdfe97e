import { type Clock, nextTurn } from './clock.ts';

/** A clock that a test turns. */
export class FakeClock implements Clock {
  #nowMs = Date.UTC(2026, 0, 1);
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now(): Date {
    return new Date(this.#nowMs);
  }

  setTimer(callback: () => void, delayMs: number): () => void {
    const timer = { at: this.#nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Moves on and calls back what is due by then, in order, with time for what that does. */
  async pass(seconds: number): Promise<void> {
    const end = this.#nowMs + seconds * 1000;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#nowMs = Math.max(this.#nowMs, next.at);
      next.callback();
      await nextTurn();
    }
    this.#nowMs = end;
  }
}
