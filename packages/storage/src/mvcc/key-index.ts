import { compareKeys, OrderedMap } from '../ordered-map.ts';
import { CorruptLogError, emptyRevision, isDeletion, type Log, type LogRecord } from './log.ts';

/** The newest change of a key. */
interface Cell {
  record: LogRecord;
}

/** The newest committed change of every key, without values. */
export class KeyIndex {
  /** By key. A lookup here is several times faster than in the ordered maps. */
  readonly #cells = new Map<string, Cell>();
  /** The keys that exist now. */
  readonly #live = new OrderedMap<Cell>();
  /** Deleted keys, until their deletion is compacted: reads at older revisions need them. */
  readonly #deleted = new OrderedMap<Cell>();

  /** Returns the newest change of the key, which may be its deletion. */
  head(key: string): LogRecord | undefined {
    return this.#cells.get(key)?.record;
  }

  apply(record: LogRecord): void {
    const { key } = record;
    const into = isDeletion(record) ? this.#deleted : this.#live;
    const cell = this.#cells.get(key);
    if (cell === undefined) {
      const added = { record };
      this.#cells.set(key, added);
      into.set(key, added);
      return;
    }
    const from = isDeletion(cell.record) ? this.#deleted : this.#live;
    cell.record = record;
    if (from === into) return;
    from.delete(key);
    into.set(key, cell);
  }

  /** Removes a key whose deletion was compacted, unless it was created again. */
  forget({ key, revision }: LogRecord): void {
    if (this.head(key)?.revision !== revision) return;
    this.#cells.delete(key);
    this.#deleted.delete(key);
  }

  /** Returns the number of existing keys with the prefix. */
  count(prefix: string, from?: string): number {
    return this.#live.countWithPrefix(prefix, from);
  }

  /** Returns the newest changes of the existing keys, in the keys' order. */
  *live(prefix: string, from: string): IterableIterator<LogRecord> {
    for (const [, { record }] of this.#live.entriesWithPrefix(prefix, from)) yield record;
  }

  /** Returns the newest changes of all keys, including deleted ones, in the keys' order. */
  *heads(prefix: string, from: string): IterableIterator<LogRecord> {
    const graves = this.#deleted.entriesWithPrefix(prefix, from);
    let grave = graves.next();
    for (const [key, { record }] of this.#live.entriesWithPrefix(prefix, from)) {
      for (; !grave.done && compareKeys(grave.value[0], key) < 0; grave = graves.next()) yield grave.value[1].record;
      yield record;
    }
    for (; !grave.done; grave = graves.next()) yield grave.value[1].record;
  }
}

/**
 * Returns the record of the put that made the key's state at a revision; undefined when the key did not exist then.
 * `head` is the key's newest change. The revision must not be compacted.
 */
export function recordAt(log: Log, head: LogRecord, revision: number): LogRecord | undefined {
  let record: LogRecord | undefined = head;
  while (record !== undefined && record.revision > revision) {
    // A missing record was compacted. Before a revision that is still readable, that can only have been a deletion.
    record = record.previousRevision === 0 ? undefined : log.record(record.previousRevision);
  }
  return record === undefined || isDeletion(record) ? undefined : record;
}

export interface LoadedIndex {
  readonly index: KeyIndex;
  /** The store's revision; 1 for an empty store. */
  readonly revision: number;
}

/**
 * Builds the index from a log. Throws a `CorruptLogError` when the log is inconsistent: every revision since the
 * compacted one must be in it, and every change must name the change of the key before it.
 */
export function loadIndex(log: Log): LoadedIndex {
  const index = new KeyIndex();
  const { compactedRevision } = log.compaction;
  let revision = 0;
  for (const record of log.records()) {
    const first = Math.max(compactedRevision, emptyRevision) + 1;
    if (record.revision >= first && record.revision !== Math.max(revision + 1, first)) {
      throw new CorruptLogError(`revision ${record.revision} follows ${revision}: those in between are missing`);
    }
    checkPredecessor(record, index.head(record.key), compactedRevision);
    index.apply(record);
    revision = record.revision;
  }
  return { index, revision: Math.max(revision, compactedRevision, emptyRevision) };
}

function checkPredecessor(record: LogRecord, head: LogRecord | undefined, compactedRevision: number): void {
  const { revision, createRevision, previousRevision } = record;
  const isNew = createRevision === revision;
  const removed = head === undefined && previousRevision > 0 && previousRevision <= compactedRevision;
  const follows = head !== undefined && head.revision === previousRevision && isDeletion(head) === isNew;
  if (!(follows || removed || (isNew && previousRevision === 0 && head === undefined))) {
    throw new CorruptLogError(`revision ${revision} does not follow the change of the key that was before it`);
  }
}
