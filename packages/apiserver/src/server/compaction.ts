import { type Clock, repeat } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import { type Store, StoreClosedError } from '@coxswain/storage';

export interface CompactionOptions {
  /** The interval of compaction. The history of the last interval is kept. 0 disables it. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * The key with which servers that share a store agree on which of them compacts. Key and value are upstream's, so kube-apiservers
 * may be among them.
 */
const key = 'compact_rev_key';

/**
 * Compacts the history of the store. Each round writes the revision of the previous round to the key, if no other server has written
 * it since, and then compacts to that revision. So one of the servers compacts in each interval, and another one takes over when it
 * stops. History younger than an interval is never compacted.
 */
export class Compaction {
  readonly #store: Store;
  /** The last known modRevision of the key. 0 when it does not exist. */
  #keyRevision = 0;
  /** The revision of the store in the previous round. 0 before the first round. */
  #lastRevision = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Runs one round. Returns the compacted revision, or undefined in the first round or when another server compacts. */
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

/** Runs a round in every interval until the signal is aborted. Its timer does not keep the process alive. */
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
