import type { Clock, Timer } from './clock.ts';
import { nextTurn, systemEventLoop } from '../turns/event-loop.ts';

interface Waiting {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that moves only when it is told to. */
export class FakeClock implements Clock {
  #nowMs: number;
  #startMs: number;
  #order = 0;
  readonly #waiting = new Set<Waiting>();
  #onWaiting: (() => void)[] = [];

  constructor(start: Date | number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = Number(start);
    this.#startMs = this.#nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs - this.#startMs;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const waiting: Waiting = { at: this.#nowMs + Math.max(delayMs, 0), order: this.#order++, callback };
    this.#waiting.add(waiting);
    for (const notify of this.#onWaiting.splice(0)) notify();
    return { cancel: () => this.#waiting.delete(waiting) };
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Milliseconds until the next timer is due; undefined when none waits. */
  get nextInMs(): number | undefined {
    const next = this.#next();
    return next && next.at - this.#nowMs;
  }

  /**
   * Moves on by so much, calling what comes due on the way in order of its time, each at its own time. What follows from a
   * callback by promises runs before the next timer: several turns of the event loop are left for it.
   */
  async advance(byMs: number): Promise<void> {
    const until = this.#nowMs + byMs;
    for (;;) {
      await turns();
      const next = this.#next();
      if (!next || next.at > until) break;
      this.#call(next);
    }
    this.#nowMs = until;
    await turns();
  }

  /** The same at once: what follows from a callback by promises runs after the last timer. */
  turn(byMs: number): void {
    const until = this.#nowMs + byMs;
    for (let next = this.#next(); next && next.at <= until; next = this.#next()) this.#call(next);
    this.#nowMs = Math.max(this.#nowMs, until);
  }

  /** Resolves once at least so many timers wait: whoever is under test has come to the point where time must pass. */
  async whenWaiting(timers = 1): Promise<void> {
    while (this.#waiting.size < timers) await new Promise<void>((resolve) => this.#onWaiting.push(resolve));
  }

  #call(due: Waiting): void {
    this.#nowMs = Math.max(this.#nowMs, due.at);
    this.#waiting.delete(due);
    due.callback();
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (!next || waiting.at < next.at || (waiting.at === next.at && waiting.order < next.order)) next = waiting;
    }
    return next;
  }
}

/** Lets pending promises and I/O that is ready go on. */
async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await nextTurn(systemEventLoop);
}
