import { ClusterWatch, type ClusterWatchOptions, type WatchOptions } from './cluster-watch.ts';

/**
 * The watches of all server blocks, each used by all that need the same objects. A watch goes on as long as anybody uses it, so a new configuration begins with the
 * full index of the old one, even while the API server is away.
 */
export class SharedWatches {
  readonly #options: Omit<ClusterWatchOptions, keyof WatchOptions>;
  readonly #watches = new Map<string, SharedWatch>();

  constructor(options: Omit<ClusterWatchOptions, keyof WatchOptions>) {
    this.#options = options;
  }

  /** Returns a watch, started by the first user. `release` stops it after the last. */
  acquire(wanted: WatchOptions): {
    readonly watch: ClusterWatch;
    release(): Promise<void>;
  } {
    const { labels, namespaceLabels, hasEndpoints, hasPods, hasPodNames } = wanted;
    const key = JSON.stringify([labels, namespaceLabels, hasEndpoints, hasPods, hasPodNames]);
    let shared = this.#watches.get(key);
    if (!shared) {
      const watch = new ClusterWatch({ ...this.#options, ...wanted });
      const stop = new AbortController();
      shared = { watch, stop, running: watch.run(stop.signal), users: 0 };
      this.#watches.set(key, shared);
    }
    const used = shared;
    used.users++;
    let isReleased = false;
    return {
      watch: used.watch,
      release: async () => {
        if (isReleased) return;
        isReleased = true;
        used.users--;
        if (used.users > 0) return;
        this.#watches.delete(key);
        used.stop.abort();
        await used.running;
      },
    };
  }
}

interface SharedWatch {
  readonly watch: ClusterWatch;
  readonly stop: AbortController;
  readonly running: Promise<void>;
  users: number;
}
