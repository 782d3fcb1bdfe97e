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
   * Remind the handler of every object after this time, by an update in which nothing changes; 0 for never. At least a
   * second; up to a tenth is added, so that many do not come at once. Without: the informer's.
   */
  readonly resyncPeriodMs?: number;
  /** How far the handler may fall behind before what waits for it is made one change for each object. */
  readonly coalesceAbove?: number;
}

export interface SharedIndexInformerOptions<T extends KubernetesObject> extends ReflectorOptions {
  /** Indexes of the cache, beside that by namespace. */
  readonly indexers?: Indexers<T>;
  /** For handlers that do not say; 0 or none for never. */
  readonly resyncPeriodMs?: number;
  /** Changes every object before it goes into the cache; such as `stripManagedFields`. Not its name or namespace. */
  readonly transform?: Transform<T>;
  /** Hold parts that are equal in several objects once (`PartSharing`); the default. */
  readonly shareParts?: boolean;
  /** Freeze every object, so that whoever changes what is shared gets a TypeError. For tests and development. */
  readonly freeze?: boolean;
}

/** What is to be had of any informer, whatever its kind: what factories and managers need. */
export interface SharedInformer {
  readonly name: string;
  /** Runs until the signal is aborted; resolves when all has ended. Never rejects on account of the server. */
  run(signal: AbortSignal): Promise<void>;
  /** The cache has had a whole list. */
  hasSynced(): boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
  readonly isStopped: boolean;
  readonly lastSyncResourceVersion: string;
}

const shortestResyncMs = 1000;
const resyncJitter = 0.1;
const defaultCoalesceAbove = 10_000;

/**
 * A cache of everything the server has of one resource, kept current, and handlers that hear of its changes.
 *
 * - The cache (`indexer`) has a change before any handler hears of it; it may have later ones too.
 * - Each handler gets its events one after the other at its own pace, without holding up the others. For every object it
 *   sees an add, then updates, then a delete, in order; nothing is left out as long as it keeps up, and the net change is
 *   kept where it does not (`DeltaFIFO`).
 * - An object that was deleted and made again under its name is a delete and an add, also when a list brought it.
 *
 * Differs from client-go: there, the last of these is an update from the one to the other; resyncs happen only if
 * the informer itself was given a period; and a list that shows an object unchanged is an update to some handlers.
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
  /** With the timer of each one's next resync. */
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

  /** Everything up to this is in the cache. Empty before the first list. */
  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? '';
  }

  /** What it is doing right now; for health checks. */
  get state(): ReflectorState {
    return this.#reflector?.state ?? 'Idle';
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  hasSynced(): boolean {
    return this.#synced.isSynced;
  }

  /** Rejects with the signal's reason, and when the informer stops before. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.whenSynced(signal);
  }

  /** Throws when the informer was started already. */
  setTransform(transform: Transform<T>): void {
    if (this.#reflector) throw new Error('informer has already started');
    this.#transform = transform;
  }

  /** Throws when there is an index of such a name, or the informer has stopped. */
  addIndexers(indexers: Indexers<T>): void {
    if (this.#isStopped) throw new Error('indexer was not added because it has stopped already');
    this.indexer.addIndexers(indexers);
  }

  /** A handler that comes late is told of everything that is there by adds. Throws when the informer has stopped. */
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

  /** The handler hears of nothing more; resolves when it has ended what it was doing. Harmless when it is not there. */
  async removeEventHandler(registration: ResourceEventHandlerRegistration): Promise<void> {
    if (!(registration instanceof ProcessorListener) || !this.#listeners.has(registration)) return;
    this.#listeners.get(registration)?.cancel();
    this.#listeners.delete(registration);
    await registration.stop();
  }

  /**
   * Lists, watches and tells until the signal is aborted. Resolves when nothing is under way any more, handlers
   * included; what was waiting for them then is dropped. Rejects only when called twice.
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

  /** Where the reflector writes: cache and handlers get each change in one step. */
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

  /** None where objects do not share parts, or where nobody knows what becomes of a part that the last state had already. */
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

  /** What the cache is to hold of it: what it has already, if anything, when that cannot be made. */
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

/** Clients of this package say what they are for. */
function nameOf(listerWatcher: object): string {
  if (!('resource' in listerWatcher)) return 'informer';
  const { resource } = listerWatcher;
  if (typeof resource !== 'object' || resource === null || !('resource' in resource)) return 'informer';
  const group = 'group' in resource && resource.group ? `.${resource.group}` : '';
  return `${resource.resource}${group}`;
}
