import { type Database, open, type RootDatabase } from 'lmdb';
import { CorruptLogError, isDeletion, type Log, type LogEntry, type LogRecord, onNextTurn } from '../mvcc/index.ts';
import { decodeRecord, encodeRecords } from './record-codec.ts';

export interface LmdbLogOptions {
  readonly file: string;
  /** How many bytes of address space to begin with. It grows by itself. */
  readonly mapSize: number;
  /** Called when the file is closed. */
  readonly onClosed: () => Promise<void>;
}

/**
 * Keeps records and values in an LMDB file, by revision.
 *
 * Every commit is LMDB's own careful one: pages are written and synced, then the page that makes them the truth is
 * written and synced, and only then it is done. What LMDB binds together in a transaction is there whole or not at all.
 */
export class LmdbLog implements Log {
  readonly #environment: RootDatabase;
  readonly #onClosed: () => Promise<void>;
  readonly #records: Database<Buffer, number>;
  readonly #values: Database<Uint8Array, number>;
  readonly #marks: Database<number, string>;
  /** Why nothing can be written any more. */
  #broken: Error | undefined;
  #compaction: { readonly compactedRevision: number; readonly removedThrough: number };

  /** Throws what LMDB throws when the file is none of its own. */
  constructor({ file, mapSize, onClosed }: LmdbLogOptions) {
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
    this.#compaction = {
      compactedRevision: this.#marks.get('compactedRevision') ?? 0,
      removedThrough: this.#marks.get('removedThrough') ?? 0,
    };
  }

  get compaction() {
    return this.#compaction;
  }

  async append(entries: readonly LogEntry[]): Promise<void> {
    const records = encodeRecords(entries);
    await this.#commit(() => {
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
    const shared = this.#values.getBinaryFast(revision);
    if (shared === undefined) throw new CorruptLogError(`revision ${revision} has no value`);
    // Small ones share memory among each other, which is a good deal faster than what `getBinary` does.
    const value = Buffer.allocUnsafe(shared.length);
    value.set(new Uint8Array(shared.buffer, shared.byteOffset, shared.length));
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

  async markCompacted(compactedRevision: number): Promise<void> {
    await this.#commit(() => {
      this.#marks.put('compactedRevision', compactedRevision);
    });
    this.#compaction = { ...this.#compaction, compactedRevision };
  }

  async remove(revisions: readonly number[], removedThrough: number): Promise<void> {
    await this.#commit(() => {
      for (const revision of revisions) {
        this.#records.remove(revision);
        this.#values.remove(revision);
      }
      this.#marks.put('removedThrough', removedThrough);
    });
    this.#compaction = { ...this.#compaction, removedThrough };
  }

  /** Whoever has just been answered, or heard from a socket in this turn, joins the group. */
  gather(commit: () => void): void {
    onNextTurn(commit);
  }

  async close(): Promise<void> {
    await this.#environment.close();
    await this.#onClosed();
  }

  /** Does all of it in one transaction. Resolves when that is on disk; rejects when none of it is. */
  async #commit(write: () => void): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      await this.#environment.batch(write);
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
