/**
 * A key-value store with one history: the part of etcd's semantics that an API server needs.
 *
 * **Revisions.** The store as a whole has one revision, a number that is 1 for an empty store and grows by one with
 * every successful write. It never goes back, neither after a restart nor after a crash.
 *
 * **Keys** are strings without U+0000, ordered by their UTF-8 bytes. **Values** are bytes. Neither the caller nor the
 * store may change them after they were passed to the other.
 *
 * **Writes** are compare-and-swap on one key: the key's `modRevision` must be the expected one; 0 means that the key
 * must not exist. When a write's promise resolves, the write is durable (as far as the driver is: `memory` persists
 * nothing). When it rejects, the outcome is unknown: the write was applied completely or not at all. A put may be
 * refused with a `StoreFullError`; deletions are not, and free space.
 *
 * **Reads** without a revision see every write that was acknowledged before the call. Reads at a revision see the exact
 * state at that revision. They fail with `CompactedError` when that revision is compacted, and with
 * `FutureRevisionError` when it is newer than the store's.
 *
 * **Watches** deliver every change of the keys below a prefix after a revision, in order, each once, and only durable
 * changes.
 */
export interface Store {
  /** The kind of store, for messages and metrics. */
  readonly driver: 'memory' | 'lmdb' | 'etcd';

  /** Rejects with a `StoreFullError` when puts of new or large objects would be refused now. */
  checkWritable(): Promise<void>;

  /** The newest revision: that of the last acknowledged write, or a later one. */
  currentRevision(): Promise<number>;

  /** The oldest revision that can be read or watched from. */
  compactedRevision(): Promise<number>;

  get(key: string, options?: ReadOptions): Promise<GetResult>;

  /** Returns the keys that begin with the prefix, in order. */
  list(prefix: string, options?: ListOptions): Promise<ListResult>;

  /** Returns the current number of keys that begin with the prefix. */
  count(prefix: string): Promise<number>;

  /** Sets the value if the key's modRevision is `expected`; 0 means it must not exist. */
  put(key: string, value: Uint8Array, options: PutOptions): Promise<WriteResult>;

  /**
   * Removes the key if its modRevision is `expected`. For a key that does not exist the result is a failure without
   * `current`.
   */
  delete(key: string, options: DeleteOptions): Promise<WriteResult>;

  /**
   * Watches the keys that begin with the prefix, for changes after the revision `after`. No handler method is called
   * before this returns. Errors are passed to `handler.onEnd`, a `CompactedError` too.
   */
  watch(prefix: string, after: number, handler: WatchHandler): Watch;

  /**
   * Discards the history before the revision: reads and watches from an older revision fail from now on. The current
   * state stays. Does nothing when the revision is compacted already. Rejects with a `FutureRevisionError` when it is
   * newer than the store's.
   */
  compact(revision: number): Promise<void>;

  /**
   * Ends all watches with `undefined`, waits for writes in progress, and refuses all later calls. May be called again.
   */
  close(): Promise<void>;
}

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision that created the key, since it was last absent. */
  readonly createRevision: number;
  /** The revision of the last write. */
  readonly modRevision: number;
  /**
   * Set by a layer above the driver: a write today would store the value differently (another encryption key, for
   * example).
   */
  readonly stale?: boolean;
  /** Set by a layer above the driver: why it could not decode the value. `value` is then as stored. */
  readonly unreadable?: Error;
}

export interface ReadOptions {
  /** Reads the state at this revision; the current state when absent. */
  readonly revision?: number;
}

export interface GetResult {
  /** Absent when the key does not exist. */
  readonly entry?: KeyValue;
  /** The store's revision at the time of the read, also when an older one was read. */
  readonly revision: number;
}

export interface ListOptions extends ReadOptions {
  /** The largest number of entries; unlimited when absent. */
  readonly limit?: number;
  /** Leaves out the keys before this one. */
  readonly from?: string;
}

export interface ListResult {
  readonly entries: readonly KeyValue[];
  /** The store's revision at the time of the read, also when an older one was read. */
  readonly revision: number;
  /** The number of keys after the last entry returned; 0 when the list was not limited. */
  readonly remaining: number;
}

export interface DeleteOptions {
  /** The modRevision the key must have. */
  readonly expected: number;
  /**
   * Passed unchanged to watchers with the event, by drivers in this process. It lets the writer pass the decoded
   * object, so that watchers need not decode the bytes that were just encoded. Never stored. Absent in events of
   * drivers that cannot pass it.
   */
  readonly note?: unknown;
}

export interface PutOptions extends DeleteOptions {
  /**
   * The key is deleted after this many seconds, or up to a minute later. A later put without it makes the key
   * permanent.
   */
  readonly ttlSeconds?: number;
}

export type WriteResult =
  /** `revision` is the write's own: the key's new modRevision, or the revision of its deletion. */
  | { readonly ok: true; readonly revision: number }
  /** The key's modRevision was not the expected one. `current` is its state; absent when the key does not exist. */
  | { readonly ok: false; readonly current?: KeyValue; readonly revision: number };

/** A durable change of one key. */
export type StoreEvent =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly entry: KeyValue;
      /** The entry before the change; absent when the key is new. */
      readonly previous?: KeyValue;
      readonly revision: number;
      readonly note?: unknown;
    }
  | {
      readonly type: 'delete';
      readonly key: string;
      /** The deleted entry. Absent when it is compacted already. */
      readonly previous?: KeyValue;
      readonly revision: number;
      readonly note?: unknown;
    };

/** All methods are called synchronously, never concurrently. They must not throw. */
export interface WatchHandler {
  /**
   * Delivers changes in the order of their revisions, at least one. Drivers in this process call it before the write's
   * promise resolves, so that every watcher knows of a write when the writer continues.
   */
  onEvents(events: readonly StoreEvent[]): void;
  /** All changes up to `revision` have been delivered. Called after `requestProgress`, and possibly at other times. */
  onProgress?(revision: number): void;
  /** The last call. `error` is the reason; undefined when the watch was stopped or the store was closed. */
  onEnd?(error: Error | undefined): void;
}

export interface Watch {
  /**
   * Requests a call of `onProgress` with a revision that is not older than the store's revision at the time of this
   * call.
   */
  requestProgress(): void;
  /** After it returns, only `onEnd(undefined)` is still called. */
  stop(): void;
}
