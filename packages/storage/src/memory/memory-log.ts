import { emptyRevision, type Log, type LogEntry, type LogRecord } from '../mvcc/index.ts';

/** The whole state of a memory store at one moment, including its history. Immutable. */
export interface StoreSnapshot {
  readonly entries: readonly LogEntry[];
  readonly compaction: Log['compaction'];
}

/** A log in this process's memory. Nothing is persisted. */
export class MemoryLog implements Log {
  readonly #entries: Map<number, LogEntry>;
  compaction: Log['compaction'];

  constructor({ entries, compaction }: StoreSnapshot = empty) {
    this.#entries = new Map(entries.map((entry) => [entry.record.revision, entry]));
    this.compaction = compaction;
  }

  snapshot(): StoreSnapshot {
    return { entries: [...this.#entries.values()], compaction: this.compaction };
  }

  append(entries: readonly LogEntry[]): void {
    for (const { record, value } of entries) this.#entries.set(record.revision, { record, value: ownBytes(value) });
  }

  record(revision: number): LogRecord | undefined {
    return this.#entries.get(revision)?.record;
  }

  value(revision: number): Uint8Array {
    const value = this.#entries.get(revision)?.value;
    if (value === undefined) throw new Error(`revision ${revision} has no value`);
    return value;
  }

  *records(): Iterable<LogRecord> {
    for (const { record } of this.#entries.values()) yield record;
  }

  markCompacted(compactedRevision: number): void {
    this.compaction = { ...this.compaction, compactedRevision };
  }

  remove(revisions: readonly number[], removedThrough: number): void {
    for (const revision of revisions) this.#entries.delete(revision);
    this.compaction = { ...this.compaction, removedThrough };
  }

  gather(commit: () => void): void {
    queueMicrotask(commit);
  }

  async close(): Promise<void> {
    this.#entries.clear();
  }
}

/** Copies bytes that are a small part of a larger buffer (as those of Node's buffer pool are), which they would otherwise keep alive. */
const ownBytes = (value: Uint8Array | undefined): Uint8Array | undefined =>
  value !== undefined && value.length < value.buffer.byteLength / 2 ? new Uint8Array(value) : value;

const empty: StoreSnapshot = { entries: [], compaction: { compactedRevision: 0, removedThrough: 0 } };

/** Returns the snapshot of a store in which these keys were put, one after the other. Each key may occur only once. */
export function snapshotOf(values: Iterable<readonly [key: string, value: Uint8Array]>): StoreSnapshot {
  const entries = Array.from(values, ([key, value], index): LogEntry => {
    const revision = emptyRevision + 1 + index;
    return { record: { revision, key, createRevision: revision, previousRevision: 0, expiresAt: 0 }, value };
  });
  return { ...empty, entries };
}
