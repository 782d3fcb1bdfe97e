import { setTimeout as delay } from 'node:timers/promises';
import { CompactedError } from '../errors.ts';
import type { StoreEvent } from '../store.ts';
import { backoffMs } from './backoff.ts';
import { toStoreEvent } from './conversion.ts';
import type { EtcdClient } from './etcd-client.ts';
import type { EtcdEndpoint, WatchCall } from './etcd-endpoint.ts';
import type { KeyRange } from './key-range.ts';
import type { WatchResponse } from './messages.ts';
import { supportsProgress } from './progress-support.ts';

/** A connection that lasted so long was good: what comes after it is the first failure again. */
const goodAfterMs = 5_000;

export interface WatchStreamListener {
  /** Everything up to the revision has been given, these changes being the last of it. There may be none. */
  onAdvance(events: readonly StoreEvent[], revision: number): void;
  /** The last call: it cannot go on. Not called after `stop`. */
  onEnd(error: Error): void;
  /** The last call: the member that is connected cannot be asked for progress. Absent where that does not matter. */
  onUnreliable?(): void;
}

export interface WatchStreamOptions {
  readonly client: EtcdClient;
  readonly range: KeyRange;
  readonly after: number;
  readonly listener: WatchStreamListener;
}

/** Why a stream must not be resumed. */
class Ended extends Error {
  readonly reason: Error;

  constructor(reason: Error) {
    super(reason.message);
    this.reason = reason;
  }
}

/**
 * A watch of a range of keys on a stream of its own, which is opened again where it was when it breaks: every change
 * comes once and in order.
 *
 * It has a stream of its own because etcd answers requests for progress per stream, and only when all watches on it
 * have caught up.
 *
 * It asks for changes from its position on, not from after it, and drops those it has. So etcd says that history is
 * compacted exactly when the position is, where it would otherwise accept the revision of the compaction itself and,
 * in releases before 3.4.31 and 3.5.13, leave out a deletion that was just there.
 */
export class WatchStream {
  readonly #options: WatchStreamOptions;
  readonly #stopped = new AbortController();
  /** Everything up to it was given to the listener. No revision before 1 has changes. */
  #position: number;
  /** Present while etcd knows of the watch. */
  #call: WatchCall | undefined;
  /** Someone asked for progress while there was no stream. */
  #progressWanted = false;
  /** Changes of the revision after the position of which more may come. Less than a transaction. */
  #held: StoreEvent[] = [];

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    this.#position = Math.max(1, options.after);
    void this.#run();
  }

  get position(): number {
    return this.#position;
  }

  /** Asks etcd how far it is, now or once there is a stream. It leaves that unanswered while the watch is behind. */
  requestProgress(): void {
    this.#progressWanted = this.#call === undefined;
    this.#call?.write({ progressRequest: {} });
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #run(): Promise<void> {
    const { client, listener } = this.#options;
    const { signal } = this.#stopped;
    for (let failures = 0; !signal.aborted; ) {
      const started = performance.now();
      let endpoint: EtcdEndpoint | undefined;
      try {
        endpoint = await client.connected();
        if (listener.onUnreliable && !(await supportsProgress(endpoint, client.config.requestTimeoutMs))) {
          if (!signal.aborted) listener.onUnreliable();
          return;
        }
        if (!signal.aborted) await this.#session(endpoint);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Ended) {
          listener.onEnd(error.reason);
          return;
        }
        // The member may be the cause.
        if (endpoint !== undefined) client.avoid(endpoint);
      }
      failures = performance.now() - started > goodAfterMs ? 1 : failures + 1;
      await delay(backoffMs(failures, client.config.random), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Rejects when the stream breaks, with Ended when it will again. */
  async #session(endpoint: EtcdEndpoint): Promise<never> {
    const { range, client } = this.#options;
    const { signal } = this.#stopped;
    const call = endpoint.openWatch();
    const cancel = () => call.cancel();
    const slow = setTimeout(cancel, client.config.requestTimeoutMs);
    signal.addEventListener('abort', cancel);
    try {
      return await new Promise((_, reject) => {
        call.on('error', reject);
        call.on('end', () => reject(new Error('etcd ended the stream')));
        call.on('data', (response: WatchResponse) => {
          if (signal.aborted) return;
          try {
            if (response.created) {
              clearTimeout(slow);
              this.#call = call;
              if (this.#progressWanted) this.requestProgress();
            }
            this.#receive(response);
          } catch (error) {
            reject(error);
          }
        });
        const startRevision = this.#position;
        call.write({ createRequest: { ...range, startRevision, progressNotify: true, prevKv: true, fragment: true } });
      });
    } finally {
      clearTimeout(slow);
      signal.removeEventListener('abort', cancel);
      this.#call = undefined;
      this.#held = [];
      cancel();
    }
  }

  #receive(response: WatchResponse): void {
    const { compactRevision = 0, cancelReason = '' } = response;
    if (compactRevision > 0) throw new Ended(new CompactedError(this.#position, compactRevision));
    if (response.canceled) {
      const problem = this.#options.client.unavailable(`the watch was cancelled: ${cancelReason}`);
      throw cancelReason === '' ? problem : new Ended(problem);
    }
    if (response.created) return;
    if (response.events === undefined) this.#advance([], response.header?.revision ?? 0);
    else this.#take(response.events.map(toStoreEvent), response.fragment === true);
  }

  /** A response in fragments may be cut within a revision, which is kept back until it is complete. */
  #take(events: readonly StoreEvent[], moreToCome: boolean): void {
    const position = this.#position;
    const known = [...this.#held, ...events.filter(({ revision }) => revision > position)];
    const last = known.at(-1)?.revision ?? position;
    this.#held = moreToCome ? known.filter(({ revision }) => revision === last) : [];
    const complete = known.slice(0, known.length - this.#held.length);
    const reached = complete.at(-1)?.revision;
    if (reached !== undefined) this.#advance(complete, reached);
  }

  #advance(events: readonly StoreEvent[], revision: number): void {
    // An answer about progress may be older than what came since.
    if (revision <= this.#position) return;
    this.#position = revision;
    this.#options.listener.onAdvance(events, revision);
  }
}
