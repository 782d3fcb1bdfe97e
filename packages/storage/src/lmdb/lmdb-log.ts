import { type EventLoop, nextTurn } from '@coxswain/apimachinery/turns';
import { type Database, open, type RootDatabase } from 'lmdb';
import type { StoreFullError } from '../errors.ts';
import { CorruptLogError, isDeletion, type Log, type LogEntry, type LogRecord } from '../mvcc/index.ts';
import { type Compaction, compactionMark, decodeCompaction, encodeCompaction } from './compaction-mark.ts';
import type { DiskRoom, TransactionSize } from './disk-room.ts';
import { decodeRecord, encodeRecords, sumOf, valueSumOf } from './record-codec.ts';

export interface LmdbLogOptions {
  readonly file: string;
  /** The initial size of the memory map in bytes. It grows as needed. */
  readonly mapSize: number;
  /** Owned by the log, which closes it. */
  readonly room: DiskRoom;
  readonly eventLoop: EventLoop;
  /** Called when the file is closed. */
  readonly onClosed: () => Promise<void>;
}

/** Values are checked in slices of this many bytes. */
const sliceBytes = 4 * 1024 * 1024;

/**
 * A log in an LMDB file, with records and values by revision.
 *
 * Every commit is a synchronous one of LMDB: the pages are written and synced, then the meta page that makes them valid
 * is written and synced, and only then the commit is reported. So the writes of a transaction are stored completely or
 * not at all.
 */
export class LmdbLog implements Log {
  readonly #environment: RootDatabase;
  readonly #room: DiskRoom;
  readonly #eventLoop: EventLoop;
  readonly #onClosed: () => Promise<void>;
  readonly #records: Database<Buffer, number>;
  readonly #values: Database<Uint8Array, number>;
  readonly #marks: Database<unknown, string>;
  /** The reason why no write is possible any more. */
  #broken: Error | undefined;
  /**
   * Resolves when all transactions so far have ended. They run one after the other, because each needs the usage left
   * by the one before. Never rejects.
   */
  #last: Promise<void> = Promise.resolve();
  #compaction: Compaction = { compactedRevision: 0, removedThrough: 0 };

  /** Throws LMDB's error when the file is not an LMDB file. */
  constructor({ file, mapSize, room, eventLoop, onClosed }: LmdbLogOptions) {
    this.#room = room;
    this.#eventLoop = eventLoop;
    this.#onClosed = onClosed;
    this.#environment = open({
      path: file,
      noSubdir: true,
      mapSize,
      maxDbs: 3,
      // With overlapping sync, a commit would be reported before it is on disk.
      overlappingSync: false,
      // `MvccStore` makes the groups.
      eventTurnBatching: false,
    });
    this.#records = this.#environment.openDB({ name: 'records', encoding: 'binary' });
    this.#values = this.#environment.openDB({ name: 'values', encoding: 'binary' });
    this.#marks = this.#environment.openDB({ name: 'marks', encoding: 'json' });
  }

  get compaction() {
    return this.#compaction;
  }

  async append(entries: readonly LogEntry[]): Promise<void> {
    const records = encodeRecords(entries);
    await this.#commit(sizeOf(entries, records), () => {
      entries.forEach(({ record: { revision }, value }, index) => {
        this.#records.put(revision, records[index] as Buffer);
        if (value !== undefined) this.#values.put(revision, value);
      });
    });
  }

  record(revision: number): LogRecord | undefined {
    // lmdb reuses this memory for the next read, so no reference to it may be kept.
    const shared = this.#records.getBinaryFast(revision);
    return shared && decodeRecord(revision, shared);
  }

  value(revision: number): Uint8Array {
    const shared = this.#checkedValue(revision);
    if (shared === undefined) throw new CorruptLogError(`revision ${revision} has no value`);
    // Small values share a pool of memory, which is a good deal faster than `getBinary`.
    const value = Buffer.allocUnsafe(shared.length);
    value.set(shared);
    return value;
  }

  *records(): Iterable<LogRecord> {
    let puts = 0;
    for (const { key: revision, value } of this.#records.getRange()) {
      const record = decodeRecord(revision, value);
      if (!isDeletion(record)) puts++;
      yield record;
    }
    const values = this.#values.getKeysCount();
    if (values !== puts) throw new CorruptLogError(`there are ${puts} changes with a value, but ${values} values`);
  }

  /**
   * Must be called before anything else. Reads and checks all values. Throws a `CorruptLogError` when something is
   * damaged.
   */
  async load(): Promise<void> {
    this.#compaction = decodeCompaction((name) => this.#marks.get(name));
    let bytes = 0;
    for (const revision of this.#values.getKeys({ snapshot: false })) {
      bytes += this.#checkedValue(revision)?.length ?? 0;
      if (bytes < sliceBytes) continue;
      bytes = 0;
      await nextTurn(this.#eventLoop);
    }
  }

  async markCompacted(compactedRevision: number): Promise<void> {
    await this.#noteCompaction({ ...this.#compaction, compactedRevision }, 0, () => {});
  }

  async remove(revisions: readonly number[], removedThrough: number): Promise<void> {
    await this.#noteCompaction({ ...this.#compaction, removedThrough }, revisions.length, () => {
      for (const revision of revisions) {
        this.#records.remove(revision);
        this.#values.remove(revision);
      }
    });
  }

  refusal(size: number, waiting: number, isNew: boolean): StoreFullError | undefined {
    return this.#room.refusal(size, waiting + size, isNew ? 'new' : 'change');
  }

  get isShort(): boolean {
    return this.#room.isShort;
  }

  /**
   * Commits in the next turn of the event loop. Writes that follow from answers or from socket data of this turn join
   * the group.
   */
  gather(commit: () => void): void {
    this.#eventLoop.onNextTurn(commit);
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#environment.close();
    await this.#room.close();
    await this.#onClosed();
  }

  async #noteCompaction(compaction: Compaction, count: number, write: () => void): Promise<void> {
    await this.#commit({ count, bytes: 0, largest: 0 }, () => {
      write();
      this.#marks.put(compactionMark, encodeCompaction(compaction));
    });
    this.#compaction = compaction;
  }

  /**
   * Returns the value in memory that lmdb reuses for the next read; undefined when there is none. Throws a
   * `CorruptLogError` when its checksum is wrong.
   */
  #checkedValue(revision: number): Uint8Array | undefined {
    const record = this.#records.getBinaryFast(revision);
    const sum = record && valueSumOf(record);
    const shared = this.#values.getBinaryFast(revision);
    // lmdb returns a larger buffer whose `length` property is that of the value.
    const value = shared && new Uint8Array(shared.buffer, shared.byteOffset, shared.length);
    if (value !== undefined && sum !== undefined && sumOf(value, revision) !== sum) {
      throw new CorruptLogError(`the value of revision ${revision} is damaged`);
    }
    return value;
  }

  /**
   * Runs `write` in one transaction. Resolves when it is on disk. Rejects when nothing was written, with a
   * `StoreFullError` when there is no room for it.
   */
  #commit(size: TransactionSize, write: () => void): Promise<void> {
    const done = this.#last.then(() => this.#commitNow(size, write));
    this.#last = done.catch(() => {});
    return done;
  }

  async #commitNow(size: TransactionSize, write: () => void): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    await this.#room.prepare(size);
    try {
      await this.#environment.batch(write);
      this.#room.written();
    } catch (error) {
      const cause = await causeOf(error);
      this.#probe();
      throw cause;
    }
  }

  /**
   * After a failed write of the meta page, LMDB begins no further transaction, and lmdb's queue would wait for that
   * forever. This detects it with a synchronous transaction.
   */
  #probe(): void {
    try {
      this.#environment.transactionSync(() => {});
    } catch (cause) {
      this.#broken = new Error('the disk failed while a commit was being completed; the store must be opened again', {
        cause,
      });
    }
  }
}

function sizeOf(entries: readonly LogEntry[], records: readonly Buffer[]): TransactionSize {
  let [count, bytes, largest] = [0, 0, 0];
  for (const { value } of entries) {
    if (value === undefined) continue;
    count++;
    bytes += value.length;
    largest = Math.max(largest, value.length);
  }
  for (const { length } of records) bytes += length;
  return { count, bytes, largest };
}

/** lmdb rejects with a general error whose `commitError` promise has the reason. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
