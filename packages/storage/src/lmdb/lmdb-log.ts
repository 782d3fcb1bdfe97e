import { type EventLoop, nextTurn } from '@coxswain/apimachinery/turns';
import { type Database, open, type RootDatabase } from 'lmdb';
import type { StoreFullError } from '../errors.ts';
import { CorruptLogError, isDeletion, type Log, type LogEntry, type LogRecord } from '../mvcc/index.ts';
import { type Compaction, compactionMark, decodeCompaction, encodeCompaction } from './compaction-mark.ts';
import type { DiskRoom, TransactionSize } from './disk-room.ts';
import { decodeRecord, encodeRecords, sumOf, valueSumOf } from './record-codec.ts';

export interface LmdbLogOptions {
  readonly file: string;
  /** How many bytes of address space to begin with. It grows by itself. */
  readonly mapSize: number;
  /** It belongs to the log, which closes it. */
  readonly room: DiskRoom;
  readonly eventLoop: EventLoop;
  /** Called when the file is closed. */
  readonly onClosed: () => Promise<void>;
}

/** Values are checked in slices of so many bytes. */
const sliceBytes = 4 * 1024 * 1024;

/**
 * Keeps records and values in an LMDB file, by revision.
 *
 * Every commit is LMDB's own careful one: pages are written and synced, then the page that makes them the truth is
 * written and synced, and only then it is done. What LMDB binds together in a transaction is there whole or not at all.
 */
export class LmdbLog implements Log {
  readonly #environment: RootDatabase;
  readonly #room: DiskRoom;
  readonly #eventLoop: EventLoop;
  readonly #onClosed: () => Promise<void>;
  readonly #records: Database<Buffer, number>;
  readonly #values: Database<Uint8Array, number>;
  readonly #marks: Database<unknown, string>;
  /** Why nothing can be written any more. */
  #broken: Error | undefined;
  /** The transactions under way, one after the other: each needs to know what the one before has left. Never rejects. */
  #last: Promise<void> = Promise.resolve();
  #compaction: Compaction = { compactedRevision: 0, removedThrough: 0 };

  /** Throws what LMDB throws when the file is none of its own. */
  constructor({ file, mapSize, room, eventLoop, onClosed }: LmdbLogOptions) {
    this.#room = room;
    this.#eventLoop = eventLoop;
    this.#onClosed = onClosed;
    this.#environment = open({
      path: file,
      noSubdir: true,
      mapSize,
      maxDbs: 3,
      // With it, a commit would be reported before it is on disk.
      overlappingSync: false,
      // Groups are made above.
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
    // Memory that lmdb uses again for the next read, so nothing of it must be kept.
    const shared = this.#records.getBinaryFast(revision);
    return shared && decodeRecord(revision, shared);
  }

  value(revision: number): Uint8Array {
    const shared = this.#checkedValue(revision);
    if (shared === undefined) throw new CorruptLogError(`revision ${revision} has no value`);
    // Small ones share memory among each other, which is a good deal faster than what `getBinary` does.
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
   * To be called before anything else. Reads all values; throws a `CorruptLogError` when something is not as it was
   * written.
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

  /** Whoever has just been answered, or heard from a socket in this turn, joins the group. */
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

  /** Memory that lmdb uses again for the next read; undefined when there is none. */
  #checkedValue(revision: number): Uint8Array | undefined {
    const record = this.#records.getBinaryFast(revision);
    const sum = record && valueSumOf(record);
    const shared = this.#values.getBinaryFast(revision);
    // lmdb says the length of what it has read in a property of the buffer, which is longer.
    const value = shared && new Uint8Array(shared.buffer, shared.byteOffset, shared.length);
    if (value !== undefined && sum !== undefined && sumOf(value, revision) !== sum) {
      throw new CorruptLogError(`the value of revision ${revision} is damaged`);
    }
    return value;
  }

  /**
   * Does all of it in one transaction. Resolves when that is on disk; rejects when none of it is, with a
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
   * After a failure of the page that makes commits true, LMDB begins no other transaction, and lmdb's queue would wait
   * for that forever. So this asks first.
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

/** lmdb says that a commit failed, and why in a promise of its own. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
