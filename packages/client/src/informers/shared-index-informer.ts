import { type Clock, systemClock, type Timer } from '@coxswain/apimachinery/clock';
import { consoleLogger } from '@coxswain/apimachinery/log';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type CacheNeeds, cacheNeeds } from '../lazy-objects/index.ts';
import type { Delta } from './delta-fifo.ts';
import type { ResourceEventHandler } from './event-handler.ts';
import { Indexer, type Indexers } from './indexer.ts';
import { guarded, type InformerErrorContext, logErrors } from './informer-error.ts';
import { DeletedFinalStateUnknown } from './keys.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { PartSharing } from './part-sharing.ts';
import { ProcessorListener, type ResourceEventHandlerRegistration } from './processor-listener.ts';
import { Reflector, type ReflectorOptions, type ReflectorStore } from './reflector.ts';
import type { ReflectorState } from './reflector-state.ts';
import { SyncState } from './sync-state.ts';
import { deepFreeze, stripManagedFields, type Transform } from './transform.ts';

export interface HandlerOptions {
  /**
   * Resync period: every object is delivered again as an update without a change; 0 for never. At least a second; up to
   * 10% jitter is added. Default: the informer's.
   */
  readonly resyncPeriodMs?: number;
  /** Number of queued changes above which the queue keeps only the net change of each object. */
  readonly coalesceAbove?: number;
}

export interface SharedIndexInformerOptions<T extends KubernetesObject> extends ReflectorOptions {
  /** Indexes of the cache in addition to the one by namespace. */
  readonly indexers?: Indexers<T>;
  /** Default resync period of handlers; 0 or undefined for never. */
  readonly resyncPeriodMs?: number;
  /**
   * Changes every object before it is stored in the cache, for example `stripManagedFields`. Must not change name or
   * namespace.
   */
  readonly transform?: Transform<T>;
  /** Share equal parts of different objects (`PartSharing`); true by default. */
  readonly shareParts?: boolean;
  /** Freeze every object, so that modifying a shared object throws a TypeError. For tests and development. */
  readonly freeze?: boolean;
}

/** The members of an informer that do not depend on its type; used by factories and managers. */
export interface SharedInformer {
  readonly name: string;
  /** Runs until the signal is aborted, and resolves when everything has ended. Never rejects because of the server. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the cache has received a complete list. */
  hasSynced(): boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
  readonly isStopped: boolean;
  readonly lastSyncResourceVersion: string;
}

const shortestResyncMs = 1000;
const resyncJitter = 0.1;
const defaultCoalesceAbove = 10_000;

/**
 * A cache of the server's objects of one resource that is kept up to date, with handlers for changes.
 *
 * - The cache (`indexer`) contains a change before any handler receives it; it may contain later ones too.
 * - Each handler receives its events sequentially at its own pace, without delaying the others. For every object it
 *   receives an add, then updates, then a delete, in order. It receives every change while it keeps up, and net changes
 *   otherwise (`DeltaFIFO`).
 * - An object that was deleted and recreated with the same name is a delete and an add, also when a list reveals it.
 *
 * Differs from client-go: there, a recreated object is an update from the old to the new object; resyncs happen only if
 * the informer itself has a resync period; and an unchanged object in a list is an update for some handlers.
 */
export class SharedIndexInformer<T extends KubernetesObject> implements SharedInformer {
  readonly name: string;
  readonly indexer: Indexer<T>;
  readonly #listerWatcher: ListerWatcher<T>;
  readonly #options: SharedIndexInformerOptions<T>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #onError: (error: unknown, context: InformerErrorContext) => void;
  readonly #synced = new SyncState();
  /** The listeners with the timer of their next resync. */
  readonly #listeners = new Map<ProcessorListener<T>, Timer | undefined>();
  readonly #sharing: PartSharing | undefined;
  #transform: Transform<T> | undefined;
  #reflector: Reflector<T> | undefined;
  #isStopped = false;

  constructor(listerWatcher: ListerWatcher<T>, options: SharedIndexInformerOptions<T> = {}) {
    const logger = options.logger ?? consoleLogger;
    this.name = options.name ?? nameOf(listerWatcher);
    this.indexer = new Indexer({ indexers: options.indexers });
    this.#listerWatcher = listerWatcher;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom.number;
    this.#sharing = (options.shareParts ?? true) ? new PartSharing() : undefined;
    this.#transform = options.transform;
    this.#onError = guarded(options.onError ?? logErrors(logger), logger);
  }

  /** The cache contains all changes up to this version. Empty before the first list. */
  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? '';
  }

  /** The state of the reflector; for health checks. */
  get state(): ReflectorState {
    return this.#reflector?.state ?? 'Idle';
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  hasSynced(): boolean {
    return this.#synced.isSynced;
  }

  /** Resolves when the cache has synced. Rejects with the signal's reason, and when the informer stops before. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.whenSynced(signal);
  }

  /** Throws when the informer was started already. */
  setTransform(transform: Transform<T>): void {
    if (this.#reflector) throw new Error('informer has already started');
    this.#transform = transform;
  }

  /** Throws when an index with such a name exists, or the informer has stopped. */
  addIndexers(indexers: Indexers<T>): void {
    if (this.#isStopped) throw new Error('indexer was not added because it has stopped already');
    this.indexer.addIndexers(indexers);
  }

  /**
   * Adds a handler. A handler that is added later receives all existing objects as adds. Throws when the informer has
   * stopped.
   */
  addEventHandler(handler: ResourceEventHandler<T>, options: HandlerOptions = {}): ResourceEventHandlerRegistration {
    if (this.#isStopped) throw new Error('handler was not added to shared informer because it has stopped already');
    const { coalesceAbove = defaultCoalesceAbove, resyncPeriodMs = this.#options.resyncPeriodMs ?? 0 } = options;
    const listener = new ProcessorListener(handler, coalesceAbove, (error) => this.#report(error, 'handler'));
    this.#listeners.set(listener, undefined);
    for (const object of this.indexer.values()) {
      listener.push({ type: 'Added', key: this.indexer.keyOf(object), object, isInInitialList: true });
    }
    if (this.#synced.isSynced) listener.initialStateIsComplete();
    if (resyncPeriodMs > 0) this.#scheduleResync(listener, Math.max(resyncPeriodMs, shortestResyncMs));
    return listener;
  }

  /** Removes a handler; resolves when its current call has completed. Does nothing when it is not registered. */
  async removeEventHandler(registration: ResourceEventHandlerRegistration): Promise<void> {
    if (!(registration instanceof ProcessorListener) || !this.#listeners.has(registration)) return;
    this.#listeners.get(registration)?.cancel();
    this.#listeners.delete(registration);
    await registration.stop();
  }

  /**
   * Lists, watches and calls the handlers until the signal is aborted. Resolves when requests and handlers have ended;
   * queued events are dropped. Rejects only when called twice.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#reflector) throw new Error('the informer was started already: it runs once');
    this.#reflector = new Reflector(this.#listerWatcher, this.#store(), {
      ...this.#options,
      name: this.name,
      onError: this.#onError,
    });
    await this.#reflector.run(signal);
    this.#isStopped = true;
    this.#synced.fail(new Error(`informer ${this.name} was stopped before it had synced`));
    await Promise.all([...this.#listeners.keys()].map((listener) => this.removeEventHandler(listener)));
  }

  /** The reflector's store: updates the cache and queues the event for the handlers in one step. */
  #store(): ReflectorStore<T> {
    return {
      needs: this.#needs(),
      prepare: (object) => this.#prepare(object),
      add: (object) => this.#set(object),
      update: (object) => this.#set(object),
      delete: (object) => {
        const key = this.indexer.keyOf(object);
        if (this.indexer.getByKey(key) === undefined) return;
        this.indexer.deleteKey(key);
        this.#sharing?.forgetUnlessMany(this.indexer.size);
        this.#tell({ type: 'Deleted', key, object });
      },
      replace: (objects) => this.#replace(objects),
    };
  }

  /**
   * Undefined when parts are not shared, or when a custom transform may change parts that come from the previous state.
   */
  #needs(): CacheNeeds | undefined {
    const strips = this.#transform === stripManagedFields;
    if (!this.#sharing || (this.#transform && !strips)) return undefined;
    return cacheNeeds(!strips, () => this.indexer.size);
  }

  #set(object: T): void {
    const key = this.indexer.keyOf(object);
    this.#tellOfChange(key, this.indexer.put(key, object), object);
  }

  #replace(objects: readonly T[]): void {
    const keys = new Set(objects.map((object) => this.indexer.keyOf(object)));
    for (const key of this.indexer.listKeys()) {
      if (keys.has(key)) continue;
      const object = new DeletedFinalStateUnknown(key, this.indexer.getByKey(key)!);
      this.indexer.deleteKey(key);
      this.#tell({ type: 'Deleted', key, object });
    }
    for (const object of objects) {
      try {
        this.#set(object);
      } catch (error) {
        this.#report(error, 'store');
      }
    }
    if (this.#synced.isSynced) return;
    this.#synced.succeed();
    for (const listener of this.#listeners.keys()) listener.initialStateIsComplete();
  }

  #tellOfChange(key: string, old: T | undefined, object: T): void {
    const [before, after] = [old?.metadata, object.metadata];
    if (old === undefined) {
      this.#tell({ type: 'Added', key, object, isInInitialList: !this.#synced.isSynced });
    } else if (before?.uid !== after?.uid) {
      this.#tell({ type: 'Deleted', key, object: new DeletedFinalStateUnknown(key, old) });
      this.#tell({ type: 'Added', key, object, isInInitialList: false });
    } else if (before?.resourceVersion === undefined || before.resourceVersion !== after?.resourceVersion) {
      this.#tell({ type: 'Updated', key, old, object });
    }
  }

  #tell(delta: Delta<T>): void {
    for (const listener of this.#listeners.keys()) listener.push(delta);
  }

  /** Returns the object to store. When preparing it fails, returns the currently cached object, if any. */
  #prepare(object: T): T | undefined {
    const old = this.indexer.get(object);
    try {
      const transformed = this.#transform ? this.#transform(object) : object;
      if (old === undefined) this.#sharing?.share(transformed);
      else this.#sharing?.shareNext(old, transformed);
      return this.#options.freeze ? deepFreeze(transformed) : transformed;
    } catch (error) {
      this.#report(error, 'store');
      return old;
    }
  }

  #scheduleResync(listener: ProcessorListener<T>, periodMs: number): void {
    const delayMs = periodMs * (1 + this.#random() * resyncJitter);
    const resync = (): void => {
      if (this.#synced.isSynced) {
        for (const object of this.indexer.values()) {
          listener.push({ type: 'Sync', key: this.indexer.keyOf(object), object });
        }
      }
      this.#scheduleResync(listener, periodMs);
    };
    const timer = this.#clock.setTimeout(resync, delayMs, { background: true });
    this.#listeners.set(listener, timer);
  }

  #report(error: unknown, during: InformerErrorContext['during']): void {
    this.#onError(error, { name: this.name, during });
  }
}

/** Clients of this package describe their resource. */
function nameOf(listerWatcher: object): string {
  if (!('resource' in listerWatcher)) return 'informer';
  const { resource } = listerWatcher;
  if (typeof resource !== 'object' || resource === null || !('resource' in resource)) return 'informer';
  const group = 'group' in resource && resource.group ? `.${resource.group}` : '';
  return `${resource.resource}${group}`;
}
