import type { KeyValue, Store, StoreEvent, Watch, WatchHandler, WriteResult } from '@coxswain/storage';
import { isPromise, type MaybePromise, type Transformer } from './transformer.ts';

/** The note of a put through this store. Watchers take the plaintext from it instead of decrypting the stored value. */
class OwnWrite {
  readonly value: Uint8Array;
  readonly note: unknown;

  constructor(value: Uint8Array, note: unknown) {
    this.value = value;
    this.note = note;
  }
}

/**
 * A store that encrypts its values in another store. An entry that cannot be decrypted keeps its stored value and has
 * the error in `unreadable`, so that a list does not silently omit it, and a watch does not end.
 */
export class EncryptingStore implements Store {
  readonly driver: Store['driver'];
  readonly #store: Store;
  readonly #transformer: Transformer;

  constructor(store: Store, transformer: Transformer) {
    this.driver = store.driver;
    this.#store = store;
    this.#transformer = transformer;
  }

  checkWritable(): Promise<void> {
    return this.#store.checkWritable();
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  compactedRevision(): Promise<number> {
    return this.#store.compactedRevision();
  }

  count(prefix: string): Promise<number> {
    return this.#store.count(prefix);
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async get(...parameters: Parameters<Store['get']>): ReturnType<Store['get']> {
    const result = await this.#store.get(...parameters);
    return result.entry ? { ...result, entry: await this.#decrypt(result.entry) } : result;
  }

  async list(...parameters: Parameters<Store['list']>): ReturnType<Store['list']> {
    const result = await this.#store.list(...parameters);
    const entries: KeyValue[] = [];
    for (const entry of result.entries) {
      const decrypted = this.#decrypt(entry);
      entries.push(isPromise(decrypted) ? await decrypted : decrypted);
    }
    return { ...result, entries };
  }

  async put(key: string, value: Uint8Array, options: Parameters<Store['put']>[2]): Promise<WriteResult> {
    const encrypted = this.#transformer.encrypt(value, key);
    const note = new OwnWrite(value, options.note);
    // With a synchronous transformer there is no `await` here, so puts reach the store in the order of the calls.
    const stored = isPromise(encrypted) ? await encrypted : encrypted;
    return this.#decryptCurrent(await this.#store.put(key, stored, { ...options, note }));
  }

  async delete(...parameters: Parameters<Store['delete']>): Promise<WriteResult> {
    return this.#decryptCurrent(await this.#store.delete(...parameters));
  }

  watch(prefix: string, after: number, handler: WatchHandler): Watch {
    const delivery = new OrderedDelivery(handler);
    const watch = this.#store.watch(prefix, after, {
      onEvents: (events) => delivery.add(this.#decryptEvents(events), (decrypted) => handler.onEvents(decrypted)),
      onProgress: (revision) => delivery.add(revision, (reached) => handler.onProgress?.(reached)),
      onEnd: (error) => delivery.add(error, (reason) => handler.onEnd?.(reason)),
    });
    return {
      requestProgress: () => watch.requestProgress(),
      stop: () => {
        delivery.drop();
        watch.stop();
      },
    };
  }

  #decrypt(entry: KeyValue): MaybePromise<KeyValue> {
    const unreadable = (error: unknown): KeyValue => ({
      ...entry,
      unreadable: error instanceof Error ? error : new Error(String(error)),
    });
    try {
      const decrypted = this.#transformer.decrypt(entry.value, entry.key);
      return isPromise(decrypted)
        ? decrypted.then((readable) => ({ ...entry, ...readable }), unreadable)
        : { ...entry, ...decrypted };
    } catch (error) {
      return unreadable(error);
    }
  }

  async #decryptCurrent(result: WriteResult): Promise<WriteResult> {
    return !result.ok && result.current ? { ...result, current: await this.#decrypt(result.current) } : result;
  }

  #decryptEvents(events: readonly StoreEvent[]): MaybePromise<StoreEvent[]> {
    const decrypted = events.map((event) => this.#decryptEvent(event));
    return decrypted.some(isPromise) ? Promise.all(decrypted) : (decrypted as StoreEvent[]);
  }

  #decryptEvent(event: StoreEvent): MaybePromise<StoreEvent> {
    const previous = event.previous && this.#decrypt(event.previous);
    const { note } = event;
    const own = note instanceof OwnWrite ? note : undefined;
    const entry =
      event.type === 'put'
        ? own
          ? { ...event.entry, value: own.value, stale: false }
          : this.#decrypt(event.entry)
        : undefined;
    const complete = (before: KeyValue | undefined, now: KeyValue | undefined): StoreEvent =>
      ({
        ...event,
        ...(now && { entry: now }),
        ...(before && { previous: before }),
        ...(own && { note: own.note }),
      }) as StoreEvent;
    if (previous instanceof Promise || entry instanceof Promise)
      return Promise.all([previous, entry]).then(([before, now]) => complete(before, now));
    return complete(previous, entry);
  }
}

/**
 * Delivers values in the order in which they were added, also when some are promises. A value that need not wait is
 * delivered synchronously, as the Store interface promises to writers.
 */
class OrderedDelivery {
  readonly #handler: WatchHandler;
  #waiting = 0;
  /** Incremented by `drop`. Values added in an earlier round are not delivered. */
  #round = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(handler: WatchHandler) {
    this.#handler = handler;
  }

  /** Discards all values that are not delivered yet. */
  drop(): void {
    this.#round++;
    this.#waiting = 0;
  }

  add<T>(value: MaybePromise<T>, deliver: (value: T) => void): void {
    if (this.#waiting === 0 && !isPromise(value)) {
      deliver(value);
      return;
    }
    this.#waiting++;
    const before = this.#last;
    const round = this.#round;
    const turn = async (): Promise<void> => {
      try {
        const ready = await value;
        await before;
        if (round === this.#round) deliver(ready);
      } finally {
        if (round === this.#round) this.#waiting--;
      }
    };
    this.#last = turn().catch((error) => this.#handler.onEnd?.(error));
  }
}
