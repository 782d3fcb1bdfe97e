import type { Log, LogRecord } from './log.ts';

const kept = 4096;

/**
 * The records of a log that were read last. Many watches that begin at once, as at the start of a server, read the same
 * stretch of history side by side: it is decoded once.
 */
export class RecentRecords {
  readonly #log: Pick<Log, 'record'>;
  /** In the order in which they were first read. Records never change. */
  readonly #records = new Map<number, LogRecord>();

  constructor(log: Pick<Log, 'record'>) {
    this.#log = log;
  }

  get size(): number {
    return this.#records.size;
  }

  /** Nobody may read what was before the revision any more. */
  forgetBefore(revision: number): void {
    for (const known of this.#records.keys()) if (known < revision) this.#records.delete(known);
  }

  /** What the log has. */
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
