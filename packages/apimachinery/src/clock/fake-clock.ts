import { nextTurn, systemEventLoop } from '../turns/event-loop.ts';
import type { Clock, Timer } from './clock.ts';

interface Waiting {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock for tests. Its time changes only by `advance` and `turn`. */
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

  /** The number of pending timers. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Milliseconds until the next timer is due; undefined when no timer is pending. */
  get nextInMs(): number | undefined {
    const next = this.#next();
    return next && next.at - this.#nowMs;
  }

  /**
   * Advances the time by `byMs` and calls the timers that come due in order of time, each at its own time. Several turns of the event
   * loop pass before each timer, so that promises which depend on earlier callbacks can settle.
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

  /** Like `advance`, but synchronous: promises that depend on the callbacks settle after the last timer. */
  turn(byMs: number): void {
    const until = this.#nowMs + byMs;
    for (let next = this.#next(); next && next.at <= until; next = this.#next()) this.#call(next);
    this.#nowMs = Math.max(this.#nowMs, until);
  }

  /** Resolves once at least `timers` timers are pending: the code under test then waits for the time to pass. */
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

/** Lets pending promises settle and ready I/O callbacks run. */
async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await nextTurn(systemEventLoop);
}
