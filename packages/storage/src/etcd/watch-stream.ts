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

/** When a connection lasted this long, the count of failures for the backoff starts over. */
const goodAfterMs = 5_000;

export interface WatchStreamListener {
  /** Passes the last changes up to `revision`, possibly none: all changes up to it have been passed then. */
  onAdvance(events: readonly StoreEvent[], revision: number): void;
  /** The last call: the watch cannot be resumed. Not called after `stop`. */
  onEnd(error: Error): void;
  /**
   * The last call: the connected member's progress notifications are not reliable. Absent when that does not matter.
   */
  onUnreliable?(): void;
}

export interface WatchStreamOptions {
  readonly client: EtcdClient;
  readonly range: KeyRange;
  readonly after: number;
  readonly listener: WatchStreamListener;
}

/** Thrown when a stream must not be resumed. */
class Ended extends Error {
  readonly reason: Error;

  constructor(reason: Error) {
    super(reason.message);
    this.reason = reason;
  }
}

/**
 * A watch of a range of keys on its own gRPC stream. When the stream breaks, it is resumed at its position: every
 * change is delivered once and in order.
 *
 * It has its own stream because etcd answers progress requests per stream, and only when all watches on the stream have
 * caught up.
 *
 * It requests changes from its position on, not from after it, and drops the ones at the position. So etcd reports a
 * compaction exactly when the position is compacted. Otherwise etcd would accept the compacted revision itself as a
 * start and, in releases before 3.4.31 and 3.5.13, omit a deletion at it.
 */
export class WatchStream {
  readonly #options: WatchStreamOptions;
  readonly #stopped = new AbortController();
  /** All changes up to this revision were passed to the listener. There are no changes before revision 1. */
  #position: number;
  /** Set while the watch exists in etcd. */
  #call: WatchCall | undefined;
  /** True when progress was requested while there was no stream. */
  #progressWanted = false;
  /** The incomplete changes of the last revision received, of which more fragments follow. At most one transaction. */
  #held: StoreEvent[] = [];

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    this.#position = Math.max(1, options.after);
    void this.#run();
  }

  get position(): number {
    return this.#position;
  }

  /**
   * Requests a progress notification, now or when there is a stream. etcd does not answer while the watch is behind.
   */
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
        // The member may be the cause, so another one is tried.
        if (endpoint !== undefined) client.avoid(endpoint);
      }
      failures = performance.now() - started > goodAfterMs ? 1 : failures + 1;
      await delay(backoffMs(failures, client.config.random), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Runs one stream. Rejects when it breaks; with `Ended` when a resumed stream would fail too. */
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

  /** Passes on complete revisions. A fragment may end within a revision, which is held back until it is complete. */
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
    // A progress notification may be older than the events received since.
    if (revision <= this.#position) return;
    this.#position = revision;
    this.#options.listener.onAdvance(events, revision);
  }
}
