import type { Clock, Timer, TimerOptions } from '@coxswain/client';

/** A timer, as far as others may know it. */
interface Appointment {
  /** How long it was set for. */
  readonly delayMs: number;
  /** And when, as `monotonic` counts. */
  readonly setAt: number;
}

interface Waiting extends Appointment {
  readonly at: number;
  /** Those of the same time are called in the order in which they were set. */
  readonly order: number;
  readonly isBackground: boolean;
  readonly owner: string;
  readonly callback: () => void;
}

/** Longer delays would be taken for 1 ms. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * A clock that can be turned. Between turns it goes on by itself, as fast as the machine's, or stands still.
 *
 * Timers are kept here and not by Node: while the clock is held nothing fires but what `fireDue` is told to.
 */
export class TestClock implements Clock {
  readonly #startMs: number;
  /** What it showed when it was last set. */
  #setMs: number;
  /** The machine's monotonic time then; undefined while it stands still. */
  #setAt: number | undefined;
  #flows: boolean;
  #holds = 0;
  #order = 0;
  #isStopped = false;
  /** In order of time. */
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

  /** The same clock, for somebody whose timers can be told from others'. */
  of(owner: string): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      setTimeout: (callback, delayMs, options) => this.#add(owner, callback, delayMs, options),
    };
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#waiting.length;
  }

  /** When the next timer is due, as `monotonic` counts; undefined when none waits. */
  get nextAt(): number | undefined {
    const next = this.#waiting[0];
    return next && next.at - this.#startMs;
  }

  /** From now on it stands still between turns. */
  freeze(): void {
    this.#flows = false;
    this.#stand();
  }

  /** From now on it goes on by itself, whoever held it. */
  flow(): void {
    this.#flows = true;
    this.#holds = 0;
    this.#goOn();
  }

  /** It stands still until what is returned is called; several may hold it. */
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

  /** Sets it to a later time, as `monotonic` counts; nothing fires yet. To be called while it is held. */
  moveTo(monotonicMs: number): void {
    this.#setMs = Math.max(this.#setMs, this.#startMs + monotonicMs);
  }

  /** Calls what is due, in order of its time; that of some owners only, where they are named. */
  fireDue(isWanted: (owner: string) => boolean = () => true): void {
    const now = this.#time;
    const due = this.#waiting.filter(({ at, owner }) => at <= now && isWanted(owner));
    for (const waiting of due) if (this.#remove(waiting)) waiting.callback();
  }

  /** What somebody waits for: the timers that are not just to keep house, and of which that is true. */
  appointments(isOne: (timer: Appointment) => boolean): ReadonlySet<Appointment> {
    return new Set(this.#waiting.filter((waiting) => !waiting.isBackground && isOne(waiting)));
  }

  /** The earliest of these that still waits; `at` is as `monotonic` counts. */
  earliestOf(timers: ReadonlySet<Appointment>): (Appointment & { readonly at: number }) | undefined {
    const first = this.#waiting.find((waiting) => timers.has(waiting));
    return first && { ...first, at: first.at - this.#startMs };
  }

  /** Nothing fires any more. */
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

  /** Wakes when the first is due. */
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
