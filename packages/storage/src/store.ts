/**
 * A key-value store with one history: etcd's semantics, as little of them as an API server needs.
 *
 * **Revisions.** The store as a whole has one revision, a number that starts at 1 for an empty store and grows by one
 * with every write that succeeds. It never goes back, not over a restart and not over a crash.
 *
 * **Keys** are strings without U+0000, ordered by their UTF-8 bytes. **Values** are bytes; whoever hands them over must
 * not change them afterwards, in either direction.
 *
 * **Writes** are compare-and-swap on one key: the key's `modRevision` must be the expected one, 0 standing for a key
 * that is not there. A write that answers is durable (as far as the driver is: `memory` keeps nothing). Of a write that
 * does not answer nobody knows: it is there or not, but never in part. A put may be refused with a `StoreFullError`;
 * deletions are not, and make room.
 *
 * **Reads** without a revision see every write that was acknowledged before they were called. Reads at a revision see
 * exactly what was there then; they fail with `CompactedError` when that is no longer known, and with
 * `FutureRevisionError` when the store has not come so far.
 *
 * **Watches** get every change of the keys below a prefix after a revision, in order, each once, and only changes that
 * can no longer be lost.
 */
export interface Store {
  /** What it is, for people and metrics. */
  readonly driver: 'memory' | 'lmdb' | 'etcd';

  /** Rejects with a `StoreFullError` when new objects, or large ones, would be refused now. */
  checkWritable(): Promise<void>;

  /** The newest revision: that of the last acknowledged write, or a later one. */
  currentRevision(): Promise<number>;

  /** The oldest revision that can be read or watched from. */
  compactedRevision(): Promise<number>;

  get(key: string, options?: ReadOptions): Promise<GetResult>;

  /** Keys that begin with the prefix, in order. */
  list(prefix: string, options?: ListOptions): Promise<ListResult>;

  /** How many keys begin with the prefix, now. */
  count(prefix: string): Promise<number>;

  /** Sets the value if the key's modRevision is `expected`; 0 means it must not exist. */
  put(key: string, value: Uint8Array, options: PutOptions): Promise<WriteResult>;

  /** Removes the key if its modRevision is `expected`. A key that is not there is a failure with no `current`. */
  delete(key: string, options: DeleteOptions): Promise<WriteResult>;

  /**
   * Watches the keys that begin with the prefix. Nothing is delivered before this returns. Problems come to
   * `handler.onEnd`, a revision that is compacted too.
   */
  watch(prefix: string, after: number, handler: WatchHandler): Watch;

  /**
   * Forgets what was before the revision: reads and watches from before it fail from now on. What is current stays.
   * Compacting what is compacted already does nothing; a revision in the future is a `FutureRevisionError`.
   */
  compact(revision: number): Promise<void>;

  /** Ends all watches with `undefined`, waits for writes under way, refuses everything after. Again is fine. */
  close(): Promise<void>;
}

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** When the key came into being, since it was last absent. */
  readonly createRevision: number;
  /** When it was last written. */
  readonly modRevision: number;
  /** Said by a layer above the driver: the value would be stored otherwise today. */
  readonly stale?: boolean;
  /** Said by a layer above the driver: why it could not make out the value, which is then as it is stored. */
  readonly unreadable?: Error;
}

export interface ReadOptions {
  /** What was there at that revision; absent: now. */
  readonly revision?: number;
}

export interface GetResult {
  /** Absent when there is no such key. */
  readonly entry?: KeyValue;
  /** That of the store when it was read, also for reads at an older one. */
  readonly revision: number;
}

export interface ListOptions extends ReadOptions {
  /** At most so many; absent: all. */
  readonly limit?: number;
  /** Only keys that are this one or after it. */
  readonly from?: string;
}

export interface ListResult {
  readonly entries: readonly KeyValue[];
  /** That of the store when it was read, also for reads at an older one. */
  readonly revision: number;
  /** How many more there are after the last one given; 0 when it was not limited. */
  readonly remaining: number;
}

export interface DeleteOptions {
  /** The modRevision the key must have. */
  readonly expected: number;
  /**
   * Drivers that live in this process hand it to watchers with the event, as it is: whoever writes has the object in
   * hand, and nobody needs to decode what has just been encoded. Never stored, and absent where a driver cannot do it.
   */
  readonly note?: unknown;
}

export interface PutOptions extends DeleteOptions {
  /** The key goes by itself after so many seconds, or up to a minute later. A later put without it makes it stay. */
  readonly ttlSeconds?: number;
}

export type WriteResult =
  /** `revision` is the write's own: the key's new modRevision, or that of its deletion. */
  | { readonly ok: true; readonly revision: number }
  /** The key is as `current` says, or absent. */
  | { readonly ok: false; readonly current?: KeyValue; readonly revision: number };

/** A change that can no longer be lost. */
export type StoreEvent =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly entry: KeyValue;
      /** What it replaced; absent when the key is new. */
      readonly previous?: KeyValue;
      readonly revision: number;
      readonly note?: unknown;
    }
  | {
      readonly type: 'delete';
      readonly key: string;
      /** What was deleted. Absent when history before the watch's beginning is compacted and nobody knows any more. */
      readonly previous?: KeyValue;
      readonly revision: number;
      readonly note?: unknown;
    };

/** Called synchronously, one after the other; it must not throw. */
export interface WatchHandler {
  /**
   * Changes in order of their revisions, at least one. Drivers in this process call it before the write's promise
   * resolves, so that whoever waited for a write finds it everywhere.
   */
  onEvents(events: readonly StoreEvent[]): void;
  /** Everything up to that revision has been delivered. Comes when asked for by `requestProgress`, and maybe else. */
  onProgress?(revision: number): void;
  /** The last call. An error says why; undefined: the watch was stopped or the store closed. */
  onEnd?(error: Error | undefined): void;
}

export interface Watch {
  /** Asks for `onProgress` with a revision no older than the store's current one was when this was called. */
  requestProgress(): void;
  /** Nothing is delivered after it returns but `onEnd(undefined)`. */
  stop(): void;
}
