import { onAbort } from '@coxswain/apimachinery/abort';
import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { asApiError, isBadRequest, isInvalid, isTooManyRequests } from '@coxswain/apimachinery/errors';
import { consoleLogger, type Logger } from '@coxswain/apimachinery/log';
import {
  getAnnotation,
  INITIAL_EVENTS_ANNOTATION_KEY,
  type KubernetesObject,
  type ListOptions,
} from '@coxswain/apimachinery/meta';
import { isObjectEvent, type ObjectEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { CacheNeeds } from '../lazy-objects/index.ts';
import { type Metrics, noMetrics } from '../observe/metrics.ts';
import { listInPages } from '../pager/list-in-pages.ts';
import { defaultPageSize } from '../pager/pages.ts';
import type { WatchEnd } from '../watch/watch.ts';
import { Backoff } from './backoff.ts';
import {
  guarded,
  type InformerErrorContext,
  type InformerErrorHandler,
  logErrors,
  StalledError,
  VeryShortWatchError,
} from './informer-error.ts';
import { metaNamespaceKey } from './keys.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { PageLister } from './page-lister.ts';
import { ReflectorMetrics } from './reflector-metrics.ts';
import type { ReflectorState, ReflectorStep as Step } from './reflector-state.ts';
import { isExpired, isPassing, isTooLargeResourceVersion, retryAfterMs } from './server-errors.ts';
import { type Patience, WatchSession } from './watch-session.ts';

/**
 * The store that a reflector updates; an `Indexer` is one. Errors that its methods throw are reported: a single object
 * keeps its old state, a whole list is fetched again later.
 */
export interface ReflectorStore<T> {
  /** Set for caches: lets watches leave members of objects unparsed. */
  readonly needs?: CacheNeeds | undefined;
  /**
   * Prepares an object for the store when it is received, before the other objects of its list are. Returns undefined
   * to omit it. The other methods get only prepared objects. Must not throw.
   */
  prepare?(object: T): T | undefined;
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /** Replaces the whole content. */
  replace(objects: readonly T[], resourceVersion: string): void;
}

export interface ReflectorOptions {
  /** Used in messages and metrics. */
  readonly name?: string;
  /** Selectors sent with every list and watch. */
  readonly listOptions?: Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'shardSelector'>;
  /** Request the initial state as a stream; true by default. Falls back to lists when the server cannot stream. */
  readonly watchList?: boolean;
  /** Page size of lists. */
  readonly pageSize?: number;
  /** Minimum timeout of a watch; the actual one is random between this and twice this. At least 5 minutes. */
  readonly minWatchTimeoutMs?: number;
  /** Timeout of one page of a list. */
  readonly listTimeoutMs?: number;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  /** The console by default. */
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Called with every error; by default errors are logged. */
  readonly onError?: InformerErrorHandler;
}

const shortestWatchTimeoutMs = 300_000;
/** How late a server may end a watch whose timeout has passed. */
const graceMs = 30_000;
/** A server that streams the initial state is never silent for this long before its end. */
const initialSilenceMs = 30_000;
const veryShortMs = 1000;

/**
 * Keeps a store equal to the server's objects of one resource: lists, then watches, and recovers from all failures until
 * it is stopped.
 *
 * - After a normal end of a watch, a broken connection or a server error it resumes the watch from the last resource
 *   version. It lists again only when that version is not available on the server, or the server rejects the request.
 * - After a failure there is always a delay (`Backoff`), and a watch that ends within a second counts as a
 *   failure even if it ended normally. So it never loops without a delay.
 * - Every failure is reported to `onError` and counted in `reflector_errors_total`. Its metrics are removed when it ends.
 *
 * Differs from client-go, which lists again after a broken connection and a very short watch, and waits forever for
 * the end of the initial events.
 */
export class Reflector<T extends KubernetesObject> {
  readonly name: string;
  readonly #listerWatcher: ListerWatcher<T>;
  readonly #pageLister: PageLister<T>;
  readonly #store: ReflectorStore<T>;
  readonly #listOptions: ListOptions;
  readonly #pageSize: number | undefined;
  readonly #minWatchTimeoutMs: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  readonly #metrics: ReflectorMetrics;
  readonly #onError: (error: unknown, context: InformerErrorContext) => void;
  #state: ReflectorState = 'Idle';
  /** The store contains all changes up to this version. Empty before the first list. */
  #resourceVersion = '';
  /** The server does not have `#resourceVersion`: the next list requests the newest state. */
  #isResourceVersionUnavailable = false;
  /** Whether to request the initial state as a stream. Set to false permanently when the server does not support it. */
  #canStream: boolean;
  /** The first list was paged, so the server does not serve lists from a watch cache. */
  #listsInPages = false;
  #isStopping = false;
  /** The open or requested watch, to be closed on stop. */
  #session: WatchSession<T> | undefined;

  constructor(listerWatcher: ListerWatcher<T>, store: ReflectorStore<T>, options: ReflectorOptions = {}) {
    const { clock = systemClock, random = systemRandom.number, logger = consoleLogger, metrics = noMetrics } = options;
    this.name = options.name ?? 'reflector';
    this.#listerWatcher = listerWatcher;
    this.#store = store;
    this.#listOptions = options.listOptions ?? {};
    this.#pageSize = options.pageSize;
    this.#minWatchTimeoutMs = Math.max(options.minWatchTimeoutMs ?? 0, shortestWatchTimeoutMs);
    this.#pageLister = new PageLister(listerWatcher, {
      name: this.name,
      clock,
      timeoutMs: options.listTimeoutMs ?? 120_000,
      prepare: (object) => this.#prepared(object),
    });
    this.#clock = clock;
    this.#random = random;
    this.#backoff = new Backoff(clock, random);
    this.#metrics = new ReflectorMetrics(metrics);
    this.#onError = guarded(options.onError ?? logErrors(logger), logger);
    this.#canStream = options.watchList ?? true;
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** The store contains all changes up to this version. Empty before the first list. */
  get lastSyncResourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Runs until the signal is aborted, and resolves when no request is in progress. Rejects only when called twice. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'Idle') throw new Error('a reflector runs once');
    // A separate signal, because the given one may be shared by many informers, and each delay would add a listener to
    // it.
    const own = new AbortController();
    const stop = (): void => {
      own.abort(signal.reason);
      this.#isStopping = true;
      this.#session?.stop();
    };
    const unlink = onAbort(signal, stop);
    let step: Step<T> = this.#fromTheBeginning();
    while (!signal.aborted) {
      this.#state = step.state;
      step = await this.#take(step, own.signal);
    }
    unlink();
    stop();
    this.#metrics.forget(this.name);
    this.#state = 'Stopped';
  }

  #fromTheBeginning(): Step<T> {
    return { state: this.#canStream ? 'Streaming' : 'Listing' };
  }

  #take(step: Step<T>, signal: AbortSignal): Promise<Step<T>> {
    switch (step.state) {
      case 'Streaming':
        return this.#stream(signal);
      case 'Listing':
        return this.#list(signal);
      case 'Connecting':
        return this.#connect();
      case 'Watching':
        return this.#watch(step.session, step.rest);
      case 'BackingOff':
        // It rejects only on abort, which ends the run.
        return sleep(this.#clock, step.delayMs, signal).then(
          () => step.next,
          () => step.next,
        );
    }
  }

  async #stream(signal: AbortSignal): Promise<Step<T>> {
    const session = this.#newSession({ ageMs: 0, silenceMs: initialSilenceMs });
    const timeoutSeconds = this.#timeoutSeconds();
    const gathered = new Map<string, T>();
    let isOpen = false;
    this.#metrics.lists.add(1, this.name);
    try {
      await this.#open(session, {
        resourceVersion: this.#isResourceVersionUnavailable ? '' : this.#resourceVersion,
        resourceVersionMatch: 'NotOlderThan',
        sendInitialEvents: true,
        timeoutSeconds,
      });
      isOpen = true;
      for (let batch = await session.next(); batch; batch = await session.next()) {
        const end = batch.findIndex((event) => this.#gather(gathered, event));
        if (end === -1) continue;
        const { resourceVersion = '' } = (batch[end]!.object as KubernetesObject).metadata ?? {};
        this.#replace([...gathered.values()], resourceVersion, session.durationMs);
        session.allow({ ageMs: timeoutSeconds * 1000 + graceMs, silenceMs: graceMs });
        return { state: 'Watching', session, rest: batch.slice(end + 1) };
      }
      throw failureOf(await session.end()) ?? new Error('the watch ended before the initial events were complete');
    } catch (error) {
      session.stop();
      return signal.aborted ? this.#fromTheBeginning() : this.#afterFailedStream(error, isOpen);
    }
  }

  #afterFailedStream(error: unknown, wasOpen: boolean): Step<T> {
    if (!this.#isResourceVersionUnavailable && isUnavailable(error)) {
      this.#isResourceVersionUnavailable = true;
      this.#report(error, 'list', 0);
      return this.#fromTheBeginning();
    }
    // The server rejects streaming, or ignored the parameter and will never send the final bookmark.
    const isUnknown = isInvalid(error) || isBadRequest(error);
    if (isUnknown || error instanceof StalledError) this.#canStream = false;
    if (asApiError(error) !== undefined && !isTooManyRequests(error)) {
      // The server responded, and may well serve a list, for example when it lacks only a component that streaming
      // needs.
      if (!isUnknown) this.#report(error, 'list', 0);
      return { state: 'Listing' };
    }
    return this.#backOff(error, 'list', wasOpen ? { state: 'Listing' } : this.#fromTheBeginning());
  }

  async #list(signal: AbortSignal): Promise<Step<T>> {
    const startedAt = this.#clock.monotonic();
    this.#metrics.lists.add(1, this.name);
    const resourceVersion = this.#isResourceVersionUnavailable ? '' : this.#resourceVersion || '0';
    try {
      // A list with a minimum version is served from the watch cache only if it is not paged.
      const limit = this.#pageSize ?? (this.#listsInPages || isAnyVersion(resourceVersion) ? defaultPageSize : 0);
      const options = { ...this.#listOptions, resourceVersion, signal };
      const { list, isPaged } =
        limit > 0
          ? await listInPages(this.#pageLister, { ...options, limit })
          : { list: await this.#pageLister.list(options), isPaged: false };
      if (signal.aborted) return { state: 'Listing' };
      if (resourceVersion === '0' && isPaged) this.#listsInPages = true;
      this.#replace(list.items, list.metadata?.resourceVersion ?? '', this.#clock.monotonic() - startedAt);
      return { state: 'Connecting' };
    } catch (error) {
      if (signal.aborted) return { state: 'Listing' };
      if (!this.#isResourceVersionUnavailable && isUnavailable(error)) {
        this.#isResourceVersionUnavailable = true;
        this.#report(error, 'list', 0);
        return { state: 'Listing' };
      }
      return this.#backOff(error, 'list', this.#fromTheBeginning());
    }
  }

  async #connect(): Promise<Step<T>> {
    const timeoutSeconds = this.#timeoutSeconds();
    const session = this.#newSession({ ageMs: timeoutSeconds * 1000 + graceMs, silenceMs: graceMs });
    try {
      await this.#open(session, { resourceVersion: this.#resourceVersion, timeoutSeconds });
      return { state: 'Watching', session, rest: [] };
    } catch (error) {
      return this.#afterFailedWatch(error);
    }
  }

  async #watch(session: WatchSession<T>, rest: readonly WatchEvent<T>[]): Promise<Step<T>> {
    this.#metrics.watches.add(1, this.name);
    // A watch without a resourceVersion begins with the existing objects in arbitrary order: their versions do not
    // count.
    let isInOrder = !isAnyVersion(this.#resourceVersion);
    for (let batch: readonly WatchEvent<T>[] | undefined = rest; batch; batch = await session.next()) {
      for (const event of batch) {
        isInOrder ||= event.type !== 'ADDED';
        this.#apply(event, isInOrder);
      }
      this.#metrics.lastResourceVersion.set(Number(this.#resourceVersion), this.name);
    }
    const end = await session.end();
    this.#metrics.watchDuration.observe(session.durationMs / 1000, this.name);
    this.#metrics.itemsPerWatch.observe(session.events, this.name);
    if (end.reason !== 'closed') {
      return this.#afterFailedWatch(failureOf(end) ?? new Error('the watch was stopped'));
    }
    if (session.durationMs >= veryShortMs) return { state: 'Connecting' };
    this.#metrics.shortWatches.add(1, this.name);
    return session.events === 0
      ? this.#backOff(new VeryShortWatchError(this.name), 'watch', { state: 'Connecting' })
      : { state: 'BackingOff', delayMs: this.#backoff.next(), next: { state: 'Connecting' } };
  }

  #afterFailedWatch(error: unknown): Step<T> {
    const next: Step<T> = { state: 'Connecting' };
    // The reflector stopped the watch itself.
    if (this.#isStopping) return next;
    if (isTooLargeResourceVersion(error)) this.#isResourceVersionUnavailable = true;
    // When the version has expired, a list that is not older than it is still possible.
    const goesOn = isPassing(error) && !isUnavailable(error);
    return this.#backOff(error, 'watch', goesOn ? next : this.#fromTheBeginning());
  }

  /** Applies an initial event to the collected objects. Returns true for the bookmark after the initial events. */
  #gather(objects: Map<string, T>, event: WatchEvent<T>): boolean {
    if (event.type === 'BOOKMARK') return getAnnotation(event.object, INITIAL_EVENTS_ANNOTATION_KEY) === 'true';
    if (event.type === 'ERROR') return false;
    const object = event.type === 'DELETED' ? undefined : this.#prepared(event.object);
    if (object === undefined) objects.delete(metaNamespaceKey(event.object));
    else objects.set(metaNamespaceKey(event.object), object);
    return false;
  }

  #apply(event: WatchEvent<T>, isInOrder: boolean): void {
    const { metadata } = event.object as KubernetesObject;
    try {
      if (!metadata) throw new Error(`the watch brought a ${event.type} event of an object without metadata`);
      if (isObjectEvent(event)) this.#change(event);
    } catch (error) {
      this.#report(error, 'store');
    }
    if (isInOrder && metadata?.resourceVersion) this.#resourceVersion = metadata.resourceVersion;
  }

  #change({ type, object }: ObjectEvent<T>): void {
    const prepared = this.#prepared(object);
    // A deletion is applied even if the object cannot be prepared.
    if (type === 'DELETED') this.#store.delete(prepared ?? object);
    else if (prepared === undefined) return;
    else if (type === 'ADDED') this.#store.add(prepared);
    else this.#store.update(prepared);
  }

  #prepared(object: T): T | undefined {
    return this.#store.prepare ? this.#store.prepare(object) : object;
  }

  #replace(objects: readonly T[], resourceVersion: string, tookMs: number): void {
    this.#metrics.listDuration.observe(tookMs / 1000, this.name);
    this.#metrics.itemsPerList.observe(objects.length, this.name);
    this.#store.replace(objects, resourceVersion);
    this.#isResourceVersionUnavailable = false;
    this.#resourceVersion = resourceVersion;
    this.#metrics.lastResourceVersion.set(Number(resourceVersion), this.name);
  }

  #backOff(error: unknown, during: 'list' | 'watch', next: Step<T>): Step<T> {
    const delayMs = Math.max(this.#backoff.next(), retryAfterMs(error));
    this.#report(error, during, delayMs);
    return { state: 'BackingOff', delayMs, next };
  }

  #report(error: unknown, during: InformerErrorContext['during'], retryInMs?: number): void {
    this.#metrics.errors.add(1, this.name, during);
    this.#onError(error, { name: this.name, during, ...(retryInMs !== undefined && { retryInMs }) });
  }

  #newSession(patience: Patience): WatchSession<T> {
    this.#session = new WatchSession(this.name, this.#clock, patience);
    return this.#session;
  }

  #open(session: WatchSession<T>, options: ListOptions): Promise<void> {
    const all = { ...this.#listOptions, allowWatchBookmarks: true, ...options };
    return session.open(this.#listerWatcher, all, this.#store.needs);
  }

  /** With jitter, so that watches that started together do not all restart together. */
  #timeoutSeconds(): number {
    return Math.floor((this.#minWatchTimeoutMs / 1000) * (1 + this.#random()));
  }
}

/** The version does not name a state: '' means the newest, '0' means any. */
const isAnyVersion = (resourceVersion: string): boolean => resourceVersion === '' || resourceVersion === '0';

const isUnavailable = (error: unknown): boolean => isExpired(error) || isTooLargeResourceVersion(error);

/** The error that ended the watch, if any. */
const failureOf = (end: WatchEnd): Error | undefined => ('error' in end ? end.error : undefined);
