/** One change of one key, without its value. The index in memory consists of the record of each key's newest change. */
export interface LogRecord {
  /** The store's revision that this change made. */
  readonly revision: number;
  readonly key: string;
  /** The revision that created the key; 0 when this change deleted it. */
  readonly createRevision: number;
  /** The revision of the key's change before this one, which may be a deletion; 0 when there was none, or it was compacted. */
  readonly previousRevision: number;
  /** When the key expires, in milliseconds since 1970; 0 for never. */
  readonly expiresAt: number;
}

export interface LogEntry {
  readonly record: LogRecord;
  /** Undefined if and only if the record is a deletion. */
  readonly value: Uint8Array | undefined;
}

/** The revision of an empty store. No change has it. */
export const emptyRevision = 1;

export function isDeletion(record: LogRecord): boolean {
  return record.createRevision === 0;
}

/** Stores the changes by revision. Which writes are allowed and when they become visible is decided by the code above it. */
export interface Log {
  /** Adds entries with consecutive revisions, atomically. All are durable when it returns or resolves; none is stored if it fails. */
  append(entries: readonly LogEntry[]): Promise<void> | void;

  /** Returns the record that `append` added; undefined when there is none, or `remove` has removed it. */
  record(revision: number): LogRecord | undefined;

  /** Returns the value of a put that is in the log. Throws when there is none, which means a bug or a broken disk. */
  value(revision: number): Uint8Array;

  /** Returns all records in order, for loading the log when it is opened. */
  records(): Iterable<LogRecord>;

  /** The arguments of the last `markCompacted` and `remove`. */
  readonly compaction: { readonly compactedRevision: number; readonly removedThrough: number };

  /** Stores the revision as compacted: the history before it must not be read any more. */
  markCompacted(revision: number): Promise<void> | void;

  /** Removes records with their values, and stores up to which revision the removal is complete, atomically. */
  remove(revisions: readonly number[], removedThrough: number): Promise<void> | void;

  /**
   * Returns an error when there is no room for a put of `size` bytes after the `waiting` bytes of uncommitted writes. `isNew`: the key does
   * not exist yet. Not called for deletions.
   */
  refusal?(size: number, waiting: number, isNew: boolean): Error | undefined;

  /** True when room is so short that history should be compacted to make some. */
  readonly isShort?: boolean;

  /** Calls `commit` when the group of writes that starts to gather now should be committed. */
  gather(commit: () => void): void;

  close(): Promise<void>;
}

/** The log is inconsistent: it was damaged, or parts of it are missing. */
export class CorruptLogError extends Error {
  override readonly name = 'CorruptLogError';
}
