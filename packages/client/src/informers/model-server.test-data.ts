import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { ApiError, newInternalError, newResourceExpired, newTooManyRequests } from '@coxswain/apimachinery/errors';
import {
  INITIAL_EVENTS_ANNOTATION_KEY,
  type KubernetesList,
  type KubernetesObject,
  type ListOptions,
} from '@coxswain/apimachinery/meta';
import type { ObjectEvent, WatchEvent } from '@coxswain/apimachinery/watch';
import type { CallOptions } from '../rest/call-options.ts';
import { TransportError } from '../transport/transport.ts';
import type { Watch, WatchEnd } from '../watch/watch.ts';
import type { ListerWatcher } from './lister-watcher.ts';

export interface ModelObject extends KubernetesObject {
  data?: number;
}

/** The failure of a request. */
export type RequestFault = 'refused' | 'internal error' | 'too many requests' | 'expired' | 'too large' | 'silence';
/** How an open watch ends. */
export type WatchFault = 'closed' | 'broken' | 'expired' | 'internal error' | 'silence';

interface Change {
  readonly version: number;
  readonly event: ObjectEvent<ModelObject>;
}

/** A model of a server for one resource, with resource versions, history, compaction, and faults on demand. */
export class ModelServer implements ListerWatcher<ModelObject> {
  readonly objects = new Map<string, ModelObject>();
  readonly requests: { readonly verb: 'list' | 'watch'; readonly at: number; readonly options: ListOptions }[] = [];
  /** Each request consumes the next fault. */
  readonly faults: RequestFault[] = [];
  /** Whether the server supports sendInitialEvents. */
  canStream = true;
  /** How many versions a list with resourceVersion=0 lags behind. */
  staleness = 0;
  bookmarkEveryMs: number | undefined;
  readonly #clock: Clock;
  readonly #watches = new Set<ModelWatch>();
  /** The objects before the first entry of the history. */
  #base = new Map<string, ModelObject>();
  #history: Change[] = [];
  #version = 1;
  #compacted = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  get version(): string {
    return String(this.#version);
  }

  create(name: string, data = 0): void {
    const uid = `${name}-${this.#version + 1}`;
    if (this.objects.has(name)) this.update(name);
    else this.#write('ADDED', name, { metadata: { name, uid }, data });
  }

  update(name: string): void {
    const old = this.objects.get(name);
    if (old) this.#write('MODIFIED', name, { ...old, data: (old.data ?? 0) + 1 });
  }

  delete(name: string): void {
    const old = this.objects.get(name);
    if (old) this.#write('DELETED', name, old);
  }

  /** Drops the history. */
  compact(): void {
    this.#compacted = this.#version;
    this.#base = new Map(this.objects);
    this.#history = [];
  }

  /** Ends every open watch. */
  cut(how: WatchFault): void {
    for (const watch of [...this.#watches]) {
      if (how === 'closed') watch.finish({ reason: 'closed' });
      else if (how === 'silence') this.#watches.delete(watch);
      else if (how === 'broken') watch.finish({ reason: 'broken', error: new Error('ECONNRESET') });
      else watch.finish({ reason: 'status', error: fault(how) });
    }
  }

  async list(options: ListOptions & CallOptions = {}): Promise<KubernetesList<ModelObject>> {
    await this.#enter('list', options);
    const { resourceVersion: asked = '', limit = 0 } = options;
    const token = options.continue?.split(' ');
    const version = token ? Number(token[0]) : asked === '0' ? this.#version - this.staleness : this.#version;
    if (Number(asked) > this.#version) throw fault('too large');
    if (version < this.#compacted && token) throw fault('expired');
    const all = [...this.#stateAt(Math.max(version, this.#compacted)).values()];
    const start = token ? Number(token[1]) : 0;
    const items = limit > 0 ? all.slice(start, start + limit) : all;
    const isLast = start + items.length >= all.length;
    return {
      kind: 'ThingList',
      apiVersion: 'v1',
      metadata: {
        resourceVersion: String(Math.max(version, this.#compacted)),
        ...(!isLast && { continue: `${Math.max(version, this.#compacted)} ${start + items.length}` }),
      },
      items: items.map((item) => structuredClone(item)),
    };
  }

  async watch(options: ListOptions & CallOptions = {}): Promise<Watch<ModelObject>> {
    await this.#enter('watch', options);
    const from = Number(options.resourceVersion ?? '');
    if (options.sendInitialEvents && !this.canStream) {
      throw new ApiError({ code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' });
    }
    if (from > this.#version) throw fault('too large');
    const watch = new ModelWatch((ended) => {
      this.#watches.delete(ended);
      timer.cancel();
      bookmarks?.cancel();
    });
    let bookmarks: Timer | undefined;
    const timer = this.#clock.setTimeout(
      () => this.#watches.has(watch) && watch.finish({ reason: 'closed' }),
      (options.timeoutSeconds ?? 3600) * 1000,
    );
    const sendBookmarks = (everyMs: number): void => {
      bookmarks = this.#clock.setTimeout(() => {
        if (this.#watches.has(watch)) watch.push(this.#bookmark());
        sendBookmarks(everyMs);
      }, everyMs);
    };
    if (this.bookmarkEveryMs) sendBookmarks(this.bookmarkEveryMs);
    this.#watches.add(watch);
    options.signal?.addEventListener('abort', () => watch.stop(), { once: true });
    if (options.sendInitialEvents) {
      for (const object of this.objects.values()) watch.push({ type: 'ADDED', object: structuredClone(object) });
      watch.push(this.#bookmark({ [INITIAL_EVENTS_ANNOTATION_KEY]: 'true' }));
    } else if (from < this.#compacted) {
      watch.finish({ reason: 'status', error: fault('expired') });
    } else {
      for (const { version, event } of this.#history) if (version > from) watch.push(structuredClone(event));
    }
    return watch;
  }

  #bookmark(annotations: Record<string, string> = {}): WatchEvent<ModelObject> {
    return { type: 'BOOKMARK', object: { metadata: { resourceVersion: this.version, annotations } } };
  }

  #write(type: ObjectEvent<ModelObject>['type'], name: string, { metadata, ...rest }: ModelObject): void {
    const object = { ...rest, metadata: { ...metadata, resourceVersion: String(++this.#version) } };
    if (type === 'DELETED') this.objects.delete(name);
    else this.objects.set(name, object);
    const event = { type, object };
    this.#history.push({ version: this.#version, event });
    for (const watch of this.#watches) watch.push(structuredClone(event));
  }

  /** The objects at that version, which must be within the history. */
  #stateAt(version: number): Map<string, ModelObject> {
    const state = new Map(this.#base);
    for (const { version: at, event } of this.#history) {
      if (at > version) break;
      const name = event.object.metadata?.name ?? '';
      if (event.type === 'DELETED') state.delete(name);
      else state.set(name, event.object);
    }
    return state;
  }

  async #enter(verb: 'list' | 'watch', { signal, ...options }: ListOptions & CallOptions): Promise<void> {
    this.requests.push({ verb, at: this.#clock.now(), options });
    const next = this.faults.shift();
    if (next === undefined) return;
    if (next !== 'silence') throw next === 'refused' ? refused() : fault(next);
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }
}

const refused = (): Error =>
  new TransportError('connect ECONNREFUSED', { code: 'ECONNREFUSED', mayHaveBeenSent: false });

function fault(what: 'too many requests' | 'expired' | 'too large' | 'internal error'): ApiError {
  switch (what) {
    case 'too many requests':
      return newTooManyRequests('later', 3);
    case 'expired':
      return newResourceExpired('The resourceVersion for the provided watch is too old.');
    case 'too large':
      return new ApiError({
        code: 504,
        reason: 'Timeout',
        message: 'Timeout: Too large resource version: 5, current: 3',
        details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
      });
    case 'internal error':
      return newInternalError('out of order');
  }
}

class ModelWatch implements Watch<ModelObject> {
  readonly ended: Promise<WatchEnd>;
  #events: WatchEvent<ModelObject>[] = [];
  #end: WatchEnd | undefined;
  #resolveEnded!: (end: WatchEnd) => void;
  #wake: (() => void) | undefined;
  readonly #onEnd: (watch: ModelWatch) => void;

  constructor(onEnd: (watch: ModelWatch) => void) {
    this.#onEnd = onEnd;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  push(event: WatchEvent<ModelObject>): void {
    this.#events.push(event);
    this.#wake?.();
  }

  finish(end: WatchEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#resolveEnded(end);
    this.#wake?.();
    this.#onEnd(this);
  }

  async nextBatch(): Promise<readonly WatchEvent<ModelObject>[] | undefined> {
    while (this.#events.length === 0) {
      if (this.#end) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#events.splice(0);
  }

  stop(): void {
    this.#events = [];
    this.finish({ reason: 'stopped' });
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<ModelObject>> {
    for (let batch = await this.nextBatch(); batch; batch = await this.nextBatch()) yield* batch;
  }
}
