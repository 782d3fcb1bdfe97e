/**
 * One change of one key. The record of a key's newest change tells all about it but its value, so these are what the
 * index in memory consists of.
 */
export interface LogRecord {
  /** The store's revision that this change made. */
  readonly revision: number;
  readonly key: string;
  /** When the key came into being; 0: this change deleted it. */
  readonly createRevision: number;
  /** The key's change before this one, a deletion too; 0: there was none, or it was compacted. */
  readonly previousRevision: number;
  /** When the key goes by itself, in milliseconds since 1970; 0: never. */
  readonly expiresAt: number;
}

export interface LogEntry {
  readonly record: LogRecord;
  /** Absent exactly for deletions. */
  readonly value: Uint8Array | undefined;
}

/** That of an empty store. No change made it. */
export const emptyRevision = 1;

export function isDeletion(record: LogRecord): boolean {
  return record.createRevision === 0;
}

/**
 * Where the changes are kept, by revision. It has no opinion on them: what may be written and what is seen by whom is
 * decided above it.
 */
export interface Log {
  /** Adds entries with consecutive revisions. All of them are durable when it is done, or none is there if it fails. */
  append(entries: readonly LogEntry[]): Promise<void> | void;

  /** What `append` has added and `remove` has not taken away. */
  record(revision: number): LogRecord | undefined;

  /** The value of a put that is there. Throws when it is not: that is a bug or a broken disk. */
  value(revision: number): Uint8Array;

  /** All records in order, as they are when the log is opened. */
  records(): Iterable<LogRecord>;

  /** What `markCompacted` and `remove` were last told. */
  readonly compaction: { readonly compactedRevision: number; readonly removedThrough: number };

  /** Remembers that nobody may look at what was before the revision. */
  markCompacted(revision: number): Promise<void> | void;

  /** Takes away records with their values, and remembers that nothing more has to go up to a revision; in one step. */
  remove(revisions: readonly number[], removedThrough: number): Promise<void> | void;

  /**
   * Why a put of so many bytes cannot be added, for want of room, after those that wait, with so many in all. `isNew`: the
   * key is not there yet. Deletions are never asked for.
   */
  refusal?(size: number, waiting: number, isNew: boolean): Error | undefined;

  /** Whether there is not room enough for all that may come, so that history should be given up for it. */
  readonly isShort?: boolean;

  /** Calls back when a group of writes should be committed that began to gather now. */
  gather(commit: () => void): void;

  close(): Promise<void>;
}

/** The log contradicts itself: it was damaged, or not all of it is there. */
export class CorruptLogError extends Error {
  override readonly name = 'CorruptLogError';
}
