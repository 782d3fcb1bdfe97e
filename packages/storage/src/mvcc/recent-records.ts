import type { Log, LogRecord } from './log.ts';

const kept = 4096;

/**
 * A cache of the log records read last. Many watches that start at once, as at the start of a server, read the same
 * part of the history concurrently; this decodes it once.
 */
export class RecentRecords {
  readonly #log: Pick<Log, 'record'>;
  /** In the order of their first read. Records never change. */
  readonly #records = new Map<number, LogRecord>();

  constructor(log: Pick<Log, 'record'>) {
    this.#log = log;
  }

  get size(): number {
    return this.#records.size;
  }

  /** Drops the records before the revision, which was compacted. */
  forgetBefore(revision: number): void {
    for (const known of this.#records.keys()) if (known < revision) this.#records.delete(known);
  }

  /** Returns the log's record. */
  record(revision: number): LogRecord | undefined {
    let record = this.#records.get(revision);
    if (record) return record;
    record = this.#log.record(revision);
    if (!record) return undefined;
    this.#records.set(revision, record);
    if (this.#records.size > kept) this.#records.delete(this.#records.keys().next().value as number);
    return record;
  }
}
