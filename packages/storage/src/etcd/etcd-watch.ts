import { setTimeout as delay } from 'node:timers/promises';
import type { StoreEvent, Watch, WatchHandler } from '../store.ts';
import { backoffMs } from './backoff.ts';
import type { EtcdClient } from './etcd-client.ts';
import { prefixRange } from './key-range.ts';
import type { SharedWatch } from './shared-watch.ts';
import { WatchStream } from './watch-stream.ts';

/** etcd does not answer a progress request while a watch is behind, so the request is repeated at this interval. */
const repeatProgressMs = 100;

export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly shared: SharedWatch;
  readonly prefix: string;
  readonly after: number;
  readonly handler: WatchHandler;
  /** Returns the store's current revision. */
  readonly currentRevision: () => Promise<number>;
  /** Called once, when the watch has ended. */
  readonly onEnded: (watch: EtcdWatch) => void;
}

/** A watch of a prefix, on its own stream, or on the shared one when etcd's progress notifications are not reliable. */
export class EtcdWatch implements Watch {
  readonly prefix: string;
  readonly #options: EtcdWatchOptions;
  #source: { stop(): void; requestProgress?(): void };
  #ended = false;
  /** All changes up to this revision were passed to the handler. */
  #position: number;
  /** The revision of the last event or progress from the source. */
  #delivered = 0;
  /** The pending `reach` calls. */
  #waiting: { readonly revision: number; readonly resolve: () => void }[] = [];
  /** Requests progress while there are pending `reach` calls. */
  #repeat: NodeJS.Timeout | undefined;
  #progressWanted = false;
  #progressUnderWay = false;

  constructor(options: EtcdWatchOptions) {
    const { client, prefix, after, shared } = options;
    this.#options = options;
    this.prefix = prefix;
    this.#position = Math.max(1, after);
    this.#source = new WatchStream({
      client,
      after,
      range: prefixRange(prefix),
      listener: {
        onAdvance: (events, revision) => this.advance(events, revision),
        onEnd: (error) => this.end(error),
        onUnreliable: () => {
          this.#source = shared.join(this);
        },
      },
    });
  }

  get position(): number {
    return this.#position;
  }

  advance(events: readonly StoreEvent[], revision: number): void {
    if (this.#ended) return;
    this.#position = revision;
    this.#delivered = revision;
    if (events.length > 0) this.#options.handler.onEvents(events);
    this.#wake();
  }

  end(error: Error): void {
    if (this.#finish()) this.#options.handler.onEnd?.(error);
  }

  stop(): void {
    // In a microtask, because the handler may be the caller.
    if (this.#finish()) queueMicrotask(() => this.#options.handler.onEnd?.(undefined));
  }

  requestProgress(): void {
    if (this.#ended || this.#options.handler.onProgress === undefined) return;
    this.#progressWanted = true;
    if (!this.#progressUnderWay) void this.#giveProgress();
  }

  /** Resolves when all changes up to the revision have been passed to the handler, or the watch has ended. */
  reach(revision: number): Promise<void> {
    if (this.#ended || this.#position >= revision) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ revision, resolve });
      this.#source.requestProgress?.();
      this.#repeat ??= setInterval(() => this.#source.requestProgress?.(), repeatProgressMs).unref();
    });
  }

  /**
   * Serves progress requests one after the other. Requests made meanwhile are served together afterwards, with a newer
   * revision.
   */
  async #giveProgress(): Promise<void> {
    const { currentRevision, handler, client } = this.#options;
    this.#progressUnderWay = true;
    for (let failures = 0; this.#progressWanted && !this.#ended; ) {
      this.#progressWanted = false;
      const revision = await currentRevision().catch(() => undefined);
      if (revision === undefined) {
        // No connection. The request is still pending.
        this.#progressWanted = true;
        await delay(backoffMs(++failures, client.config.random), undefined, { ref: false });
        continue;
      }
      failures = 0;
      await this.reach(revision);
      if (!this.#ended) handler.onProgress?.(Math.max(revision, this.#delivered));
    }
    this.#progressUnderWay = false;
  }

  /** Ends the watch. Returns false when it had ended before. */
  #finish(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#source.stop();
    this.#wake();
    this.#options.onEnded(this);
    return true;
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    const met = this.#waiting.filter(({ revision }) => this.#ended || revision <= this.#position);
    this.#waiting = this.#waiting.filter((each) => !met.includes(each));
    if (this.#waiting.length === 0) {
      clearInterval(this.#repeat);
      this.#repeat = undefined;
    }
    for (const { resolve } of met) resolve();
  }
}
