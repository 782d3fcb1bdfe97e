import { messageOf } from '@coxswain/apimachinery/errors';
import { type EventLoop, nextTurn } from '@coxswain/apimachinery/turns';
import { StoreClosedError, StoreFullError, StoreUnavailableError } from '../errors.ts';
import type { KeyIndex } from './key-index.ts';
import { isDeletion, type Log, type LogRecord } from './log.ts';
import type { ReadPins } from './read-pins.ts';

/** The number of records to process before yielding to the event loop. */
const sliceRecords = 500;

/** When the log has no room for what a slice writes, the slice is retried with a fourth of its records, down to this many. */
const leastSliceRecords = 5;

export interface CompactorOptions {
  readonly log: Log;
  readonly index: KeyIndex;
  readonly pins: ReadPins;
  readonly eventLoop: EventLoop;
}

/**
 * Removes compacted history. First the compacted revision is stored, which readers check; then the records are removed in slices, each
 * atomically. So a crash at any moment leaves a log whose compaction the next start resumes.
 */
export class Compactor {
  readonly #log: Log;
  readonly #index: KeyIndex;
  readonly #pins: ReadPins;
  readonly #eventLoop: EventLoop;
  #compactedRevision: number;
  #stopped = false;
  /** Resolves when all compactions so far have ended; they run one after the other. Never rejects. */
  #last: Promise<void> = Promise.resolve();

  constructor({ log, index, pins, eventLoop }: CompactorOptions) {
    this.#log = log;
    this.#index = index;
    this.#pins = pins;
    this.#eventLoop = eventLoop;
    this.#compactedRevision = log.compaction.compactedRevision;
  }

  /** The oldest revision that can be read. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  /** Resolves when the history before the revision is removed from the log. Rejects with a `StoreUnavailableError` when the log fails. */
  compact(revision: number): Promise<void> {
    const done = this.#last.then(async () => {
      if (this.#stopped) throw new StoreClosedError();
      try {
        if (revision > this.#compactedRevision) {
          await this.#log.markCompacted(revision);
          this.#compactedRevision = revision;
        }
        // An earlier compaction that failed may have left records.
        await this.#removeSuperseded();
      } catch (cause) {
        const reason = messageOf(cause);
        throw new StoreUnavailableError(`compaction failed: ${reason}`, { cause });
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resumes a compaction that a crash interrupted. When it fails, the next compaction retries it. */
  resume(): void {
    this.#last = this.#last.then(() => this.#removeSuperseded()).catch(() => {});
  }

  /** Starts no further slice. Resolves when the current one has ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#last;
  }

  /**
   * Every change supersedes the one before it, and a deletion supersedes itself too. So the records since the last compaction name
   * everything that has to be removed.
   */
  async #removeSuperseded(): Promise<void> {
    const { compactedRevision } = this.#log.compaction;
    let records = sliceRecords;
    while (this.#log.compaction.removedThrough < compactedRevision && !this.#stopped) {
      await this.#pins.released(compactedRevision);
      const from = this.#log.compaction.removedThrough + 1;
      const through = Math.min(from + records - 1, compactedRevision);
      const superseded: number[] = [];
      const deletions: LogRecord[] = [];
      for (let revision = from; revision <= through; revision++) {
        const record = this.#log.record(revision);
        if (record === undefined) continue;
        if (record.previousRevision !== 0) superseded.push(record.previousRevision);
        if (isDeletion(record)) {
          superseded.push(revision);
          deletions.push(record);
        }
      }
      try {
        await this.#log.remove(superseded, through);
      } catch (error) {
        records = Math.floor(records / 4);
        if (error instanceof StoreFullError && records >= leastSliceRecords) continue;
        throw error;
      }
      // Only after the removal: a key that is created again refers to its deletion while that is in the log.
      for (const deletion of deletions) this.#index.forget(deletion);
      await nextTurn(this.#eventLoop);
    }
  }
}
