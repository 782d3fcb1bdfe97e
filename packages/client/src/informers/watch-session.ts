import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { KubernetesObject, ListOptions } from '@coxswain/apimachinery/meta';
import type { WatchEvent } from '@coxswain/apimachinery/watch';
import type { CacheNeeds } from '../lazy-objects/index.ts';
import type { Watch, WatchEnd } from '../watch/watch.ts';
import { StalledError } from './informer-error.ts';
import type { ListerWatcher } from './lister-watcher.ts';

/** A watch is closed as dead when it is at least this old and has been silent for this long. */
export interface Patience {
  readonly ageMs: number;
  readonly silenceMs: number;
}

/**
 * One watch from its request to its end, with a client-side deadline: a server or proxy that neither sends data nor
 * closes the connection cannot block the reflector forever.
 */
export class WatchSession<T extends KubernetesObject> {
  readonly #clock: Clock;
  readonly #name: string;
  readonly #abort = new AbortController();
  readonly #startedAt: number;
  #patience: Patience;
  #heardAt: number;
  #timer: Timer | undefined;
  #watch: Watch<T> | undefined;
  #stalled: StalledError | undefined;
  /** Number of received events, including bookmarks. */
  events = 0;

  constructor(name: string, clock: Clock, patience: Patience) {
    this.#name = name;
    this.#clock = clock;
    this.#patience = patience;
    this.#startedAt = clock.monotonic();
    this.#heardAt = this.#startedAt;
    this.#arm();
  }

  /** Resolves when the server has accepted the watch; rejects otherwise. */
  async open(listerWatcher: ListerWatcher<T>, options: ListOptions, needs?: CacheNeeds): Promise<void> {
    try {
      this.#watch = await listerWatcher.watch({ ...options, signal: this.#abort.signal });
    } catch (error) {
      this.#timer?.cancel();
      throw this.#stalled ?? error;
    }
    if (needs) this.#watch.feed?.(needs);
    // Stopped while the response arrived.
    if (this.#abort.signal.aborted) this.#watch.stop();
  }

  /** Returns the next events; undefined when the watch has ended. */
  async next(): Promise<readonly WatchEvent<T>[] | undefined> {
    const batch = await this.#watch!.nextBatch();
    if (batch === undefined) {
      this.#timer?.cancel();
      return undefined;
    }
    this.#heardAt = this.#clock.monotonic();
    this.events += batch.length;
    return batch;
  }

  /** Returns why the watch has ended. */
  async end(): Promise<WatchEnd> {
    const end = await this.#watch!.ended;
    return this.#stalled ? { reason: 'broken', error: this.#stalled } : end;
  }

  get durationMs(): number {
    return this.#clock.monotonic() - this.#startedAt;
  }

  /** Replaces the deadlines. */
  allow(patience: Patience): void {
    this.#patience = patience;
    this.#timer?.cancel();
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#abort.abort();
    this.#watch?.stop();
  }

  #arm(): void {
    const now = this.#clock.monotonic();
    const { ageMs, silenceMs } = this.#patience;
    const dueMs = Math.max(this.#startedAt + ageMs, this.#heardAt + silenceMs) - now;
    if (dueMs > 0) {
      this.#timer = this.#clock.setTimeout(() => this.#arm(), dueMs);
      return;
    }
    this.#stalled = new StalledError(`watch of ${this.#name}`, now - this.#heardAt);
    this.stop();
  }
}
