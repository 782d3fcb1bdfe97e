import { type Clock, repeat } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import { type Store, StoreClosedError } from '@coxswain/storage';

export interface CompactionOptions {
  /** How often; the history of the last interval is kept. 0: never. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Where servers over one store agree on who compacts: the key, and what it says, are upstream's, so that a
 * kube-apiserver may be one of them.
 */
const key = 'compact_rev_key';

/**
 * Forgets old history, again and again. A round begins with writing down the revision of the round before, if nobody else
 * has written there since; who could, compacts to it. So with any number of servers one of them compacts in each interval,
 * and when it goes another takes over. Nothing is forgotten that is younger than an interval.
 */
export class Compaction {
  readonly #store: Store;
  /** As this server knows the key: the revision of its last write. 0: it is not there. */
  #keyRevision = 0;
  /** What the store had come to in the last round; 0: there was none. */
  #lastRevision = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** One round. Gives the revision that was compacted to; undefined when it was another's turn, or the first round. */
  async run(): Promise<number | undefined> {
    const target = this.#lastRevision;
    const written = await this.#store.put(key, new TextEncoder().encode(String(target)), {
      expected: this.#keyRevision,
    });
    this.#lastRevision = written.revision;
    this.#keyRevision = written.ok ? written.revision : (written.current?.modRevision ?? 0);
    if (!written.ok || target === 0) return undefined;
    await this.#store.compact(target);
    return target;
  }
}

/** Runs rounds until the signal comes. Does not keep the process alive. */
export function startCompaction(store: Store, { intervalMs, clock, signal, logger }: CompactionOptions): void {
  if (intervalMs <= 0 || signal.aborted) return;
  const compaction = new Compaction(store);
  let isRunning = false;
  const round = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await compaction.run();
    } catch (error) {
      if (!(error instanceof StoreClosedError)) logger.error('Compaction failed', error);
    } finally {
      isRunning = false;
    }
  };
  const timer = repeat(clock, () => void round(), intervalMs, { background: true });
  signal.addEventListener('abort', () => timer.cancel(), { once: true });
}
