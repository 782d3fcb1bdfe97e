import type { EventLoop } from '@coxswain/apimachinery/turns';
import { CompactedError } from '../errors.ts';
import type { StoreEvent, Watch, WatchHandler } from '../store.ts';
import { CorruptLogError, emptyRevision, type Log } from './log.ts';
import type { RecentRecords } from './recent-records.ts';
import { eventOf } from './store-event.ts';

/** History is delivered in slices of this many changes, or fewer when their values reach this many bytes. */
const sliceRecords = 1000;
const sliceBytes = 4 * 1024 * 1024;

/** The parts of the store that a watch uses. */
export interface WatchedStore {
  readonly log: Log;
  readonly eventLoop: EventLoop;
  /** The newest revision that is durable. */
  revision(): number;
  compactedRevision(): number;
}

export interface WatchSessionOptions {
  readonly store: WatchedStore;
  /** The records of the store's log. */
  readonly records: RecentRecords;
  readonly prefix: string;
  readonly after: number;
  readonly handler: WatchHandler;
  /** Called when the watch has caught up: from now on `deliver` must be called with every change. */
  readonly onCaughtUp: () => void;
  readonly onEnded: () => void;
}

/**
 * One watch. While it is behind the store it reads the log in slices (`reading`); then it receives changes as they
 * happen (`live`), until it ends (`ended`).
 */
export class WatchSession implements Watch {
  readonly prefix: string;
  readonly #store: WatchedStore;
  readonly #records: RecentRecords;
  readonly #handler: WatchHandler;
  readonly #onCaughtUp: () => void;
  readonly #onEnded: () => void;
  /** All changes up to this revision were delivered, or precede the watch's start. */
  #position: number;
  #state: 'reading' | 'live' | 'ended' = 'reading';
  #progressRequested = false;

  constructor({ store, records, prefix, after, handler, onCaughtUp, onEnded }: WatchSessionOptions) {
    this.#store = store;
    this.#records = records;
    this.prefix = prefix;
    this.#position = after;
    this.#handler = handler;
    this.#onCaughtUp = onCaughtUp;
    this.#onEnded = onEnded;
  }

  start(): void {
    if (this.#position >= this.#store.revision()) this.#goLive();
    else queueMicrotask(() => this.#read());
  }

  /** Delivers new changes of keys below the prefix. */
  deliver(events: readonly StoreEvent[]): void {
    if (this.#state !== 'live') return;
    const first = events[0] as StoreEvent;
    const wanted =
      first.revision > this.#position ? events : events.filter(({ revision }) => revision > this.#position);
    if (wanted.length > 0) this.#call(() => this.#handler.onEvents(wanted));
  }

  requestProgress(): void {
    if (this.#state === 'ended' || this.#progressRequested) return;
    this.#progressRequested = true;
    if (this.#state === 'live') queueMicrotask(() => this.#reportProgress());
  }

  stop(): void {
    this.endSoon(undefined);
  }

  /** Ends the watch. Nothing is delivered from now on; `onEnd` is called in a microtask. */
  endSoon(error: Error | undefined): void {
    if (this.#state === 'ended') return;
    this.#leave();
    queueMicrotask(() => this.#handler.onEnd?.(error));
  }

  end(error: Error | undefined): void {
    if (this.#state === 'ended') return;
    this.#leave();
    this.#handler.onEnd?.(error);
  }

  #leave(): void {
    this.#state = 'ended';
    this.#onEnded();
  }

  #goLive(): void {
    this.#state = 'live';
    this.#onCaughtUp();
    if (this.#progressRequested) queueMicrotask(() => this.#reportProgress());
  }

  #reportProgress(): void {
    if (this.#state !== 'live' || !this.#progressRequested) return;
    this.#progressRequested = false;
    this.#call(() => this.#handler.onProgress?.(this.#store.revision()));
  }

  #read(): void {
    if (this.#state !== 'reading') return;
    const compactedRevision = this.#store.compactedRevision();
    if (this.#position < compactedRevision) {
      this.end(new CompactedError(this.#position, compactedRevision));
      return;
    }
    this.#call(() => {
      const events = this.#nextSlice();
      if (events.length > 0) this.#handler.onEvents(events);
    });
    if (this.#state !== 'reading') return;
    if (this.#position >= this.#store.revision()) this.#goLive();
    else this.#store.eventLoop.onNextTurn(() => this.#read());
  }

  #nextSlice(): StoreEvent[] {
    const { log } = this.#store;
    this.#position = Math.max(this.#position, emptyRevision);
    const end = Math.min(this.#store.revision(), this.#position + sliceRecords);
    const events: StoreEvent[] = [];
    for (let bytes = 0; this.#position < end && bytes < sliceBytes; ) {
      const record = this.#records.record(++this.#position);
      if (record === undefined) throw new CorruptLogError(`revision ${this.#position} is not there`);
      if (!record.key.startsWith(this.prefix)) continue;
      const event = eventOf(log, record);
      events.push(event);
      bytes += (event.type === 'put' ? event.entry.value.length : 0) + (event.previous?.value.length ?? 0);
    }
    return events;
  }

  /** Calls the handler. When it throws, or the disk fails, only this watch ends. */
  #call(deliver: () => void): void {
    try {
      deliver();
    } catch (error) {
      this.endSoon(asError(error));
    }
  }
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
