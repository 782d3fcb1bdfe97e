import { setTimeout as delay } from 'node:timers/promises';
import type { StoreEvent, Watch, WatchHandler } from '../store.ts';
import { backoffMs } from './backoff.ts';
import type { EtcdClient } from './etcd-client.ts';
import { prefixRange } from './key-range.ts';
import type { SharedWatch } from './shared-watch.ts';
import { WatchStream } from './watch-stream.ts';

/** etcd leaves a request for progress unanswered while a watch is behind, so it is repeated. */
const repeatProgressMs = 100;

export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly shared: SharedWatch;
  readonly prefix: string;
  readonly after: number;
  readonly handler: WatchHandler;
  /** Of the store. */
  readonly currentRevision: () => Promise<number>;
  /** Called once, when it has ended. */
  readonly onEnded: (watch: EtcdWatch) => void;
}

/** A watch of a prefix: over a stream of its own, or over the shared one where etcd cannot be asked for progress. */
export class EtcdWatch implements Watch {
  readonly prefix: string;
  readonly #options: EtcdWatchOptions;
  #source: { stop(): void; requestProgress?(): void };
  #ended = false;
  /** Everything up to it was given to the handler. */
  #position: number;
  /** The last revision that the handler knows to be complete. */
  #delivered = 0;
  /** Those who wait for the position. */
  #waiting: { readonly revision: number; readonly resolve: () => void }[] = [];
  /** Runs while someone waits. */
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
    // The handler may be the one who called.
    if (this.#finish()) queueMicrotask(() => this.#options.handler.onEnd?.(undefined));
  }

  requestProgress(): void {
    if (this.#ended || this.#options.handler.onProgress === undefined) return;
    this.#progressWanted = true;
    if (!this.#progressUnderWay) void this.#giveProgress();
  }

  /** Resolves when everything up to the revision has been given, or the watch has ended. */
  reach(revision: number): Promise<void> {
    if (this.#ended || this.#position >= revision) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ revision, resolve });
      this.#source.requestProgress?.();
      this.#repeat ??= setInterval(() => this.#source.requestProgress?.(), repeatProgressMs).unref();
    });
  }

  /** One at a time; whoever asks meanwhile gets a newer revision after it. */
  async #giveProgress(): Promise<void> {
    const { currentRevision, handler, client } = this.#options;
    this.#progressUnderWay = true;
    for (let failures = 0; this.#progressWanted && !this.#ended; ) {
      this.#progressWanted = false;
      const revision = await currentRevision().catch(() => undefined);
      if (revision === undefined) {
        // No connection. Whoever asked still waits.
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

  /** Whether it was not finished before. */
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
