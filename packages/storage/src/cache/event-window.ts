import type { SizedEvent } from './cache-entry.ts';

export interface WindowBounds {
  readonly events: number;
  readonly bytes: number;
  /** Older events are dropped, except for the last `oldEvents`. */
  readonly ageMs: number;
  readonly oldEvents: number;
}

/**
 * The arrays are shortened when this many places at the front are released, and at least as many as there are events.
 */
const minReleased = 1024;

/**
 * The newest events, in order, for watchers that reconnect: every change after `oldestRevision` is in it. Limited by
 * number, bytes and age; the oldest events are dropped first.
 */
export class EventWindow<T> {
  readonly #bounds: WindowBounds;
  readonly #now: () => number;
  /** The places before `#head` are released (undefined). */
  #events: (SizedEvent<T> | undefined)[] = [];
  /** The time of each event by `#now`, at the same index. */
  #times: number[] = [];
  #head = 0;
  #bytes = 0;
  #oldestRevision: number;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(oldestRevision: number, bounds: WindowBounds, now: () => number) {
    this.#oldestRevision = oldestRevision;
    this.#bounds = bounds;
    this.#now = now;
  }

  /** The oldest revision that a watch can start after. */
  get oldestRevision(): number {
    return this.#oldestRevision;
  }

  get length(): number {
    return this.#events.length - this.#head;
  }

  /**
   * The bytes that only the window keeps alive. A value that was replaced or deleted is `previous` of exactly one
   * event; a value that is still current is held by the cache itself. So the sum over `previous` counts each value
   * once.
   */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an event. Its revision must not be lower than that of the last one. */
  push(event: SizedEvent<T>): void {
    const { events, bytes } = this.#bounds;
    this.#events.push(event);
    this.#times.push(this.#now());
    this.#bytes += costOf(event);
    while (this.length > events || (this.#bytes > bytes && this.length > 0)) this.#shift();
    this.forgetOld();
  }

  /** Drops the events that have become too old since the last change. */
  forgetOld(): void {
    const { ageMs, oldEvents } = this.#bounds;
    const since = this.#now() - ageMs;
    while (this.length > oldEvents && (this.#times[this.#head] ?? since) < since) this.#shift();
  }

  /** Returns the events after the revision whose keys match, in order. */
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
    // Events of the same revision may still be in the window, but a watcher cannot start in the middle of a revision.
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
