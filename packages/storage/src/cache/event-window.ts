import type { SizedEvent } from './cache-entry.ts';

export interface WindowBounds {
  readonly events: number;
  readonly bytes: number;
  /** Older changes go, but for the last `oldEvents`. */
  readonly ageMs: number;
  readonly oldEvents: number;
}

/** Released places at the front are given back when there are so many, and as many as events. */
const minReleased = 1024;

/**
 * The newest changes, in order, for watchers that come back: every change after `oldestRevision` is here. Bounded by
 * number, by bytes and by age; the oldest go first.
 */
export class EventWindow<T> {
  readonly #bounds: WindowBounds;
  readonly #now: () => number;
  /** The places before `#head` are released. */
  #events: (SizedEvent<T> | undefined)[] = [];
  /** When they came, by `#now`; at the same places. */
  #times: number[] = [];
  #head = 0;
  #bytes = 0;
  #oldestRevision: number;

  /** `now`: milliseconds on a clock that never goes back. */
  constructor(oldestRevision: number, bounds: WindowBounds, now: () => number) {
    this.#oldestRevision = oldestRevision;
    this.#bounds = bounds;
    this.#now = now;
  }

  /** The oldest revision that can be watched from. */
  get oldestRevision(): number {
    return this.#oldestRevision;
  }

  get length(): number {
    return this.#events.length - this.#head;
  }

  /**
   * Bytes that only the window holds. A value that was replaced or deleted is `previous` of exactly one event, the last
   * one here that refers to it; a value that was not is still held by the cache itself. So the sum over `previous`
   * counts everything once.
   */
  get bytes(): number {
    return this.#bytes;
  }

  /** Its revision must not be before that of the last one. */
  push(event: SizedEvent<T>): void {
    const { events, bytes } = this.#bounds;
    this.#events.push(event);
    this.#times.push(this.#now());
    this.#bytes += costOf(event);
    while (this.length > events || (this.#bytes > bytes && this.length > 0)) this.#shift();
    this.forgetOld();
  }

  /** Forgets what has become too old since the last change. */
  forgetOld(): void {
    const { ageMs, oldEvents } = this.#bounds;
    const since = this.#now() - ageMs;
    while (this.length > oldEvents && (this.#times[this.#head] ?? since) < since) this.#shift();
  }

  /** The changes after the revision that are of interest, in order. */
  since(revision: number, matches: (key: string) => boolean): SizedEvent<T>[] {
    const found: SizedEvent<T>[] = [];
    for (let index = this.#firstAfter(revision); index < this.#events.length; index++) {
      const event = this.#at(index);
      if (matches(event.key)) found.push(event);
    }
    return found;
  }

  #firstAfter(revision: number): number {
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #at(index: number): SizedEvent<T> {
    return this.#events[index] as SizedEvent<T>;
  }

  #shift(): void {
    const event = this.#at(this.#head);
    this.#events[this.#head++] = undefined;
    this.#bytes -= costOf(event);
    // Events of the same revision may still be here, but a watcher that would need them cannot begin before them.
    this.#oldestRevision = event.revision;
    if (this.#head >= minReleased && this.#head >= this.length) {
      this.#events = this.#events.slice(this.#head);
      this.#times = this.#times.slice(this.#head);
      this.#head = 0;
    }
  }
}

function costOf(event: SizedEvent<unknown>): number {
  return event.previous?.bytes ?? 0;
}
