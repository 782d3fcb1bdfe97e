import type { Clock } from '@coxswain/apimachinery/clock';
import { type EventLoop, nextTurn } from '@coxswain/apimachinery/turns';
import { CompactedError, FutureRevisionError, StoreClosedError, StoreFullError } from '../errors.ts';
import type {
  DeleteOptions,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  PutOptions,
  ReadOptions,
  Store,
  Watch,
  WatchHandler,
  WriteResult,
} from '../store.ts';
import { Compactor } from './compactor.ts';
import { ExpiryQueue } from './expiry-queue.ts';
import { type KeyIndex, loadIndex, recordAt } from './key-index.ts';
import type { Log, LogRecord } from './log.ts';
import { ReadPins } from './read-pins.ts';
import { WatchHub } from './watch-hub.ts';
import { type Intent, keyValue, type Write, WriteQueue } from './write-queue.ts';

/** A list is read in slices of this many keys, or fewer when their values reach this many bytes. */
const sliceKeys = 2000;
const sliceBytes = 8 * 1024 * 1024;

/** Characters not allowed in keys: U+0000, and unpaired surrogates, which have no UTF-8 encoding. */
const notInKeys = /[\0\ud800-\udfff]/u;

export interface MvccStoreOptions {
  readonly driver: 'memory' | 'lmdb';
  readonly log: Log;
  readonly clock: Clock;
  /** Long work is done in slices, and yields to this event loop between them. */
  readonly eventLoop: EventLoop;
}

/**
 * The store's semantics over a log. Keys and their newest records are in memory; values are read from the log.
 *
 * A write is decided in memory at once and committed to the log together with others. Only then it becomes visible:
 * first to readers, then to watchers, then its promise resolves. Writes become visible in the order of their revisions.
 */
export class MvccStore implements Store {
  readonly driver: 'memory' | 'lmdb';
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #eventLoop: EventLoop;
  readonly #index: KeyIndex;
  readonly #writes: WriteQueue;
  readonly #watches: WatchHub;
  readonly #compactor: Compactor;
  readonly #expiry: ExpiryQueue;
  readonly #pins = new ReadPins();
  /** The newest revision that is durable. */
  #revision: number;
  #closing: Promise<void> | undefined;
  /** True while a compaction to make room is running. */
  #relieving = false;

  /** Loads the index. Throws a `CorruptLogError` when the log is inconsistent; it does not close the log then. */
  constructor({ driver, log, clock, eventLoop }: MvccStoreOptions) {
    this.driver = driver;
    this.#log = log;
    this.#clock = clock;
    this.#eventLoop = eventLoop;
    const { index, revision } = loadIndex(log);
    this.#index = index;
    this.#revision = revision;
    this.#writes = new WriteQueue({
      log,
      index,
      revision,
      onCommitted: (writes) => this.#committed(writes),
      onFull: () => this.#relieve(),
    });
    this.#watches = new WatchHub({
      log,
      eventLoop,
      revision: () => this.#revision,
      compactedRevision: () => this.#compactor.compactedRevision,
    });
    this.#compactor = new Compactor({ log, index, eventLoop, pins: this.#pins });
    this.#expiry = new ExpiryQueue({
      clock,
      isCurrent: (record) => index.head(record.key)?.revision === record.revision,
      expire: ({ key, revision: expected }) =>
        this.#writes.submit({ key, value: undefined, expected, expiresAt: 0, note: undefined }),
    });
    for (const record of index.live('', '')) if (record.expiresAt !== 0) this.#expiry.add(record);
    this.#compactor.resume();
  }

  async checkWritable(): Promise<void> {
    this.#refuseWhenClosed();
    if (this.#log.isShort) throw new StoreFullError();
  }

  async currentRevision(): Promise<number> {
    this.#refuseWhenClosed();
    return this.#revision;
  }

  async compactedRevision(): Promise<number> {
    this.#refuseWhenClosed();
    return this.#compactor.compactedRevision;
  }

  async get(key: string, { revision }: ReadOptions = {}): Promise<GetResult> {
    this.#refuseWhenClosed();
    this.#refuseUnreadable(revision);
    const head = this.#index.head(key);
    const record = head && recordAt(this.#log, head, revision ?? this.#revision);
    return { entry: record && this.#read(record), revision: this.#revision };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#refuseWhenClosed();
    this.#refuseUnreadable(options.revision);
    const storeRevision = this.#revision;
    const revision = options.revision ?? storeRevision;
    const limit = options.limit || Number.POSITIVE_INFINITY;
    const entries: KeyValue[] = [];
    let remaining = 0;
    let from: string | undefined = options.from ?? prefix;
    const unpin = this.#pins.pin(revision);
    try {
      while (from !== undefined) {
        const slice = this.#listSlice({ prefix, from, revision, limit: limit - entries.length });
        for (const entry of slice.entries) entries.push(entry);
        remaining += slice.remaining;
        from = slice.next;
        if (from === undefined) break;
        await nextTurn(this.#eventLoop);
        this.#refuseWhenClosed();
      }
    } finally {
      unpin();
    }
    return { entries, revision: storeRevision, remaining };
  }

  async count(prefix: string): Promise<number> {
    this.#refuseWhenClosed();
    return this.#index.count(prefix);
  }

  put(key: string, value: Uint8Array, { expected, ttlSeconds, note }: PutOptions): Promise<WriteResult> {
    const expiresAt = ttlSeconds ? this.#clock.now() + ttlSeconds * 1000 : 0;
    return this.#write({ key, value, expected, expiresAt, note });
  }

  delete(key: string, { expected, note }: DeleteOptions): Promise<WriteResult> {
    return this.#write({ key, value: undefined, expected, expiresAt: 0, note });
  }

  watch(prefix: string, after: number, handler: WatchHandler): Watch {
    const refusal = this.#closing && new StoreClosedError();
    return this.#watches.watch(prefix, after, handler, refusal);
  }

  async compact(revision: number): Promise<void> {
    this.#refuseWhenClosed();
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    await this.#compactor.compact(revision);
    this.#watches.compacted(this.#compactor.compactedRevision);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#expiry.stop();
    // Watchers must receive a write before its promise resolves, so the watches end after the writes.
    await this.#writes.idle();
    this.#watches.close();
    await this.#compactor.stop();
    await this.#log.close();
  }

  #write(intent: Intent): Promise<WriteResult> {
    if (this.#closing !== undefined) return Promise.reject(new StoreClosedError());
    const { key } = intent;
    if (key === '' || notInKeys.test(key)) {
      const problem = `${JSON.stringify(key)} cannot be a key: keys are text without U+0000, and not empty`;
      return Promise.reject(new TypeError(problem));
    }
    return this.#writes.submit(intent);
  }

  #committed(writes: readonly Write[]): void {
    this.#revision += writes.length;
    for (const { record } of writes) if (record.expiresAt !== 0) this.#expiry.add(record);
    this.#watches.publish(writes);
    this.#relieve();
  }

  /** Compacts up to the current revision while room is short. */
  #relieve(): void {
    if (!this.#log.isShort || this.#relieving || this.#closing) return;
    this.#relieving = true;
    const revision = this.#revision;
    const done = (): void => {
      this.#relieving = false;
      if (this.#revision > revision) this.#relieve();
    };
    // A failure is retried after the next write.
    this.#compactor.compact(revision).then(done, () => {
      this.#relieving = false;
    });
  }

  #listSlice(wanted: { prefix: string; from: string; revision: number; limit: number }) {
    const { prefix, from, revision, limit } = wanted;
    const isNow = revision === this.#revision;
    const entries: KeyValue[] = [];
    let remaining = 0;
    let visited = 0;
    let bytes = 0;
    for (const head of isNow ? this.#index.live(prefix, from) : this.#index.heads(prefix, from)) {
      if (isNow && entries.length >= limit) {
        return { entries, remaining: this.#index.count(prefix, head.key), next: undefined };
      }
      if (visited++ === sliceKeys || bytes > sliceBytes) return { entries, remaining, next: head.key };
      const record = recordAt(this.#log, head, revision);
      if (record === undefined) continue;
      if (entries.length >= limit) {
        remaining++;
        continue;
      }
      const entry = this.#read(record);
      bytes += entry.value.length;
      entries.push(entry);
    }
    return { entries, remaining, next: undefined };
  }

  #read(record: LogRecord): KeyValue {
    return keyValue(record, this.#log.value(record.revision));
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) throw new StoreClosedError();
  }

  #refuseUnreadable(revision: number | undefined): void {
    if (revision === undefined) return;
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    const { compactedRevision } = this.#compactor;
    if (revision < compactedRevision) throw new CompactedError(revision, compactedRevision);
  }
}
