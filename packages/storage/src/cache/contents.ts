import type { Clock } from '@coxswain/apimachinery/clock';
import { OrderedMap } from '../ordered-map.ts';
import type { KeyValue, StoreEvent } from '../store.ts';
import type { SizedEntry, SizedEvent } from './cache-entry.ts';
import { EventWindow, type WindowBounds } from './event-window.ts';

export interface ContentsOptions<T> {
  readonly decode: (entry: KeyValue, note: unknown) => T;
  readonly sizeOf: (value: T) => number;
  readonly window: WindowBounds;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/**
 * The state of all keys below a prefix at `revision`, and the changes that led to it. Starts empty at a revision;
 * `load` adds the entries stored at that revision, `apply` every later change.
 *
 * A key that cannot be decoded is only in `undecodable`. Watchers see no change of such a key until it can be decoded
 * again or is deleted. They never see a key that could not be decoded from the start.
 */
export class Contents<T> {
  readonly #options: ContentsOptions<T>;
  readonly entries = new OrderedMap<SizedEntry<T>>();
  readonly undecodable = new Map<string, Error>();
  readonly window: EventWindow<T>;
  /** The last decodable state of keys in `undecodable`. Its keys are not in `entries`. */
  readonly #lastReadable = new Map<string, SizedEntry<T>>();
  #revision: number;
  #bytes = 0;

  constructor(revision: number, options: ContentsOptions<T>) {
    this.#options = options;
    this.#revision = revision;
    this.window = new EventWindow(revision, options.window, () => options.clock.monotonic());
  }

  /** All changes up to this revision have been applied. */
  get revision(): number {
    return this.#revision;
  }

  /** The size of all current values, including the last decodable values of keys in `undecodable`. */
  get bytes(): number {
    return this.#bytes;
  }

  load(stored: KeyValue): void {
    const entry = this.#decode(stored, undefined);
    if (entry === undefined) return;
    this.entries.set(stored.key, entry);
    this.#bytes += entry.bytes;
  }

  /** Applies changes that are newer than `revision`. Returns the events for watchers. */
  apply(events: readonly StoreEvent[]): SizedEvent<T>[] {
    const applied: SizedEvent<T>[] = [];
    for (const event of events) {
      const change =
        event.type === 'put' ? this.#put(event.entry, event.note) : this.#delete(event.key, event.revision);
      this.#revision = event.revision;
      if (change === undefined) continue;
      this.window.push(change);
      applied.push(change);
    }
    return applied;
  }

  /** Notes that there was no further change up to the revision. */
  advance(revision: number): void {
    if (revision > this.#revision) this.#revision = revision;
    this.window.forgetOld();
  }

  #put(stored: KeyValue, note: unknown): SizedEvent<T> | undefined {
    const { key, modRevision } = stored;
    const previous = this.#readable(key);
    const entry = this.#decode(stored, note);
    if (entry === undefined) {
      if (this.entries.delete(key) && previous !== undefined) this.#lastReadable.set(key, previous);
      return undefined;
    }
    this.#forgetUndecodable(key);
    this.entries.set(key, entry);
    this.#bytes += entry.bytes - (previous?.bytes ?? 0);
    return { type: 'put', key, revision: modRevision, entry, previous };
  }

  #delete(key: string, revision: number): SizedEvent<T> | undefined {
    const previous = this.#readable(key);
    this.#forgetUndecodable(key);
    if (previous === undefined) return undefined;
    this.entries.delete(key);
    this.#bytes -= previous.bytes;
    return { type: 'delete', key, revision, entry: previous, previous };
  }

  /** The state of the key as watchers know it. */
  #readable(key: string): SizedEntry<T> | undefined {
    return this.entries.get(key) ?? (this.#lastReadable.size > 0 ? this.#lastReadable.get(key) : undefined);
  }

  #forgetUndecodable(key: string): void {
    if (this.undecodable.size > 0 && this.undecodable.delete(key)) this.#lastReadable.delete(key);
  }

  #decode(stored: KeyValue, note: unknown): SizedEntry<T> | undefined {
    const { key, modRevision: revision } = stored;
    try {
      const value = this.#options.decode(stored, note);
      return { key, revision, value, bytes: this.#options.sizeOf(value) };
    } catch (cause) {
      const error = new Error(`cannot decode ${key} at revision ${revision}`, { cause });
      this.undecodable.set(key, error);
      this.#options.onError(error);
      return undefined;
    }
  }
}
