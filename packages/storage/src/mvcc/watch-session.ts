import type { EventLoop } from '@coxswain/apimachinery/turns';
import { CompactedError } from '../errors.ts';
import type { StoreEvent, Watch, WatchHandler } from '../store.ts';
import { CorruptLogError, emptyRevision, type Log } from './log.ts';
import type { RecentRecords } from './recent-records.ts';
import { eventOf } from './store-event.ts';

/** History comes in slices of this many changes, or sooner when their values are this large together. */
const sliceRecords = 1000;
const sliceBytes = 4 * 1024 * 1024;

/** What a watch needs to know of its store. */
export interface WatchedStore {
  readonly log: Log;
  readonly eventLoop: EventLoop;
  /** The newest revision that is durable. */
  revision(): number;
  compactedRevision(): number;
}

export interface WatchSessionOptions {
  readonly store: WatchedStore;
  /** Of the store's log. */
  readonly records: RecentRecords;
  readonly prefix: string;
  readonly after: number;
  readonly handler: WatchHandler;
  /** From now on `deliver` must be called with every change. */
  readonly onCaughtUp: () => void;
  readonly onEnded: () => void;
}

/**
 * One watch. It reads the log until it has caught up with the store, in slices; then it is told of changes as they
 * happen. It is either reading, or live, or ended.
 */
export class WatchSession implements Watch {
  readonly prefix: string;
  readonly #store: WatchedStore;
  readonly #records: RecentRecords;
  readonly #handler: WatchHandler;
  readonly #onCaughtUp: () => void;
  readonly #onEnded: () => void;
  /** Everything up to here was delivered or is not wanted. */
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

  /** Changes that have just happened, of keys below the prefix. */
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

  /** Delivers nothing from now on; the handler hears of the end when whoever called this has finished. */
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

  /** A handler must not throw. One that does, or a disk that fails, costs the watch, and nobody else anything. */
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
