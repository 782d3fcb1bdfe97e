import type { Store } from '@coxswain/storage';

/** What is written all the time in a cluster where nothing happens; and events, which also go by themselves after an hour. */
const heartbeats = /^\/registry\/(?:leases|masterleases|minions|events)\//;

/** What happens in a cluster's store, as far as those who wait need to know. */
export class StoreHistory {
  /** The newest revision. */
  revision = 0;
  /** How many writes somebody could tell: all but heartbeats, and events, which go with other writes. */
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

  /** Resolves with the next write, or after so long. */
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
