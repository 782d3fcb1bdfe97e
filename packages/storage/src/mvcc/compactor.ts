import { messageOf } from '@coxswain/apimachinery/errors';
import { type EventLoop, nextTurn } from '@coxswain/apimachinery/turns';
import { StoreClosedError, StoreFullError, StoreUnavailableError } from '../errors.ts';
import type { KeyIndex } from './key-index.ts';
import { isDeletion, type Log, type LogRecord } from './log.ts';
import type { ReadPins } from './read-pins.ts';

/** How many records are looked at before the event loop turns again. */
const sliceRecords = 500;

/** Where there is no room for what a slice writes, it is tried with a fourth of it, down to so many. */
const leastSliceRecords = 5;

export interface CompactorOptions {
  readonly log: Log;
  readonly index: KeyIndex;
  readonly pins: ReadPins;
  readonly eventLoop: EventLoop;
}

/**
 * Takes away what nobody may look at any more. First the revision is noted, which is what readers go by; then the
 * records go in slices, each of them in one step, so that a crash at any moment leaves a log that the next start goes on
 * with.
 */
export class Compactor {
  readonly #log: Log;
  readonly #index: KeyIndex;
  readonly #pins: ReadPins;
  readonly #eventLoop: EventLoop;
  #compactedRevision: number;
  #stopped = false;
  /** The compactions under way, one after the other. Never rejects. */
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

  /** Resolves when what was before the revision is gone from the log. Rejects with a `StoreUnavailableError` when the log fails. */
  compact(revision: number): Promise<void> {
    const done = this.#last.then(async () => {
      if (this.#stopped) throw new StoreClosedError();
      try {
        if (revision > this.#compactedRevision) {
          await this.#log.markCompacted(revision);
          this.#compactedRevision = revision;
        }
        // Something may be left of an earlier one that failed.
        await this.#removeSuperseded();
      } catch (cause) {
        const reason = messageOf(cause);
        throw new StoreUnavailableError(`compaction failed: ${reason}`, { cause });
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** Goes on with a compaction that a crash interrupted. What fails is tried again with the next one. */
  resume(): void {
    this.#last = this.#last.then(() => this.#removeSuperseded()).catch(() => {});
  }

  /** Lets the slice under way finish and begins no other. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#last;
  }

  /**
   * Every change takes the place of the one before it, and a deletion leaves nothing. So the records since the last
   * compaction name all that has to go.
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
      // Not before: a key that comes back names its deletion as long as that is in the log.
      for (const deletion of deletions) this.#index.forget(deletion);
      await nextTurn(this.#eventLoop);
    }
  }
}
