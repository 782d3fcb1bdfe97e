import type { Store } from '@coxswain/storage';

/**
 * The keys of writes that happen all the time in an idle cluster (heartbeats); and of Events, which are also deleted by expiry after an
 * hour.
 */
const heartbeats = /^\/registry\/(?:leases|masterleases|minions|events)\//;

/** Counts the writes to a cluster's store, for code that waits for them. */
export class StoreHistory {
  /** The newest revision. */
  revision = 0;
  /** The number of writes without heartbeats and Events (which accompany other writes). */
  changes = 0;
  readonly #onNews = new Set<() => void>();

  /** Follows the store until that is closed. */
  async follow(store: Store): Promise<void> {
    this.revision = await store.currentRevision();
    store.watch('/', this.revision, {
      onEvents: (events) => {
        for (const { key, revision } of events) {
          this.revision = revision;
          if (!heartbeats.test(key)) this.changes++;
        }
        for (const tell of this.#onNews) tell();
      },
    });
  }

  /** Resolves at the next write, or after `atMostMs`. */
  async news(atMostMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#onNews.delete(done);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, atMostMs);
      this.#onNews.add(done);
    });
  }
}
