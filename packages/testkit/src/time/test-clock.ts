import type { Clock, Timer, TimerOptions } from '@coxswain/client';

/** The public data of a timer. */
interface Appointment {
  /** The delay it was set with. */
  readonly delayMs: number;
  /** The monotonic time at which it was set. */
  readonly setAt: number;
}

interface Waiting extends Appointment {
  readonly at: number;
  /** Timers of the same time fire in the order in which they were set. */
  readonly order: number;
  readonly isBackground: boolean;
  readonly owner: string;
  readonly callback: () => void;
}

/** Node treats longer delays as 1 ms. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * A clock that can be advanced. In between it runs as fast as the system clock, or stands still.
 *
 * Timers are kept here and not by Node: while the clock is held, only `fireDue` fires them.
 */
export class TestClock implements Clock {
  readonly #startMs: number;
  /** The time at the last change of the clock's state. */
  #setMs: number;
  /** The system's monotonic time at that moment; undefined while the clock stands still. */
  #setAt: number | undefined;
  #flows: boolean;
  #holds = 0;
  #order = 0;
  #isStopped = false;
  /** Ordered by time. */
  readonly #waiting: Waiting[] = [];
  #alarm: NodeJS.Timeout | undefined;

  constructor(start: Date | number = Date.now(), { flows = true }: { readonly flows?: boolean } = {}) {
    this.#startMs = Number(start);
    this.#setMs = this.#startMs;
    this.#flows = flows;
    this.#goOn();
  }

  now(): number {
    return Math.floor(this.#time);
  }

  monotonic(): number {
    return this.#time - this.#startMs;
  }

  setTimeout(callback: () => void, delayMs: number, options?: TimerOptions): Timer {
    return this.#add('', callback, delayMs, options);
  }

  /** Returns the same clock for an owner, whose timers can be told apart from others. */
  of(owner: string): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      setTimeout: (callback, delayMs, options) => this.#add(owner, callback, delayMs, options),
    };
  }

  /** The number of pending timers. */
  get pending(): number {
    return this.#waiting.length;
  }

  /** The monotonic time of the next timer; undefined when there is none. */
  get nextAt(): number | undefined {
    const next = this.#waiting[0];
    return next && next.at - this.#startMs;
  }

  /** Makes the clock stand still, except when it is advanced. */
  freeze(): void {
    this.#flows = false;
    this.#stand();
  }

  /** Makes the clock run by itself, and releases all holds. */
  flow(): void {
    this.#flows = true;
    this.#holds = 0;
    this.#goOn();
  }

  /** Makes the clock stand still until the returned function is called. Several holds may exist at a time. */
  hold(): () => void {
    this.#holds++;
    this.#stand();
    let isHeld = true;
    return () => {
      if (isHeld && this.#holds > 0) this.#holds--;
      isHeld = false;
      this.#goOn();
    };
  }

  /** Moves the clock forward to a monotonic time, without firing timers. Must be called while the clock is held. */
  moveTo(monotonicMs: number): void {
    this.#setMs = Math.max(this.#setMs, this.#startMs + monotonicMs);
  }

  /** Fires the due timers in order of their time; with `isWanted`, only those of matching owners. */
  fireDue(isWanted: (owner: string) => boolean = () => true): void {
    const now = this.#time;
    const due = this.#waiting.filter(({ at, owner }) => at <= now && isWanted(owner));
    for (const waiting of due) if (this.#remove(waiting)) waiting.callback();
  }

  /** Returns the pending timers that match, without background timers. */
  appointments(isOne: (timer: Appointment) => boolean): ReadonlySet<Appointment> {
    return new Set(this.#waiting.filter((waiting) => !waiting.isBackground && isOne(waiting)));
  }

  /** Returns the earliest of these timers that is still pending; `at` is monotonic. */
  earliestOf(timers: ReadonlySet<Appointment>): (Appointment & { readonly at: number }) | undefined {
    const first = this.#waiting.find((waiting) => timers.has(waiting));
    return first && { ...first, at: first.at - this.#startMs };
  }

  /** Stops the clock. No timer fires any more. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
    this.#stand();
  }

  get #time(): number {
    return this.#setAt === undefined ? this.#setMs : this.#setMs + (performance.now() - this.#setAt);
  }

  #add(owner: string, callback: () => void, delayMs: number, { background = false }: TimerOptions = {}): Timer {
    const delay = Math.max(delayMs, 0);
    const at = this.#time + delay;
    const set = { at, setAt: this.monotonic(), delayMs: delay, order: this.#order++ };
    const waiting: Waiting = { ...set, isBackground: background, owner, callback };
    if (!this.#isStopped) {
      this.#waiting.splice(this.#placeOf(waiting), 0, waiting);
      if (this.#waiting[0] === waiting) this.#arm();
    }
    return { cancel: () => void this.#remove(waiting) };
  }

  #remove(waiting: Waiting): boolean {
    const index = this.#placeOf(waiting);
    if (this.#waiting[index] !== waiting) return false;
    this.#waiting.splice(index, 1);
    return true;
  }

  #placeOf({ at, order }: Waiting): number {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#waiting[middle]!;
      if (other.at < at || (other.at === at && other.order < order)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #stand(): void {
    this.#setMs = this.#time;
    this.#setAt = undefined;
    clearTimeout(this.#alarm);
    this.#alarm = undefined;
  }

  #goOn(): void {
    if (!this.#flows || this.#holds > 0 || this.#isStopped || this.#setAt !== undefined) return;
    this.#setAt = performance.now();
    this.#arm();
  }

  /** Sets a system timer for the first pending timer. */
  #arm(): void {
    clearTimeout(this.#alarm);
    this.#alarm = undefined;
    const first = this.#waiting[0];
    if (!first || this.#setAt === undefined) return;
    this.#alarm = setTimeout(
      () => {
        this.fireDue();
        this.#arm();
      },
      Math.min(Math.max(Math.ceil(first.at - this.#time), 0), longestDelayMs),
    );
  }
}
