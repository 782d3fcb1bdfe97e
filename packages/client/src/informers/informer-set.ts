import { onAbort } from '@coxswain/apimachinery/abort';
import type { KubernetesObject, ListOptions, MetaGroupVersionResource } from '@coxswain/apimachinery/meta';
import { Lister } from './lister.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { SharedIndexInformer, type SharedIndexInformerOptions, type SharedInformer } from './shared-index-informer.ts';
import { waitForCacheSync } from './wait-for-cache-sync.ts';

/** An informer and the lister of its cache. */
export interface InformerWithLister<T extends KubernetesObject> {
  readonly informer: SharedIndexInformer<T>;
  readonly lister: Lister<T>;
}

/** Options of all informers of a factory. */
export interface SharedInformerFactoryOptions
  extends Omit<SharedIndexInformerOptions<KubernetesObject>, 'name' | 'indexers' | 'transform' | 'listOptions'> {
  /** The namespace to watch; all by default. Ignored for cluster-scoped resources. */
  readonly namespace?: string;
  /** Returns selectors for the lists and watches of a resource. */
  readonly tweakListOptions?: (
    resource: MetaGroupVersionResource,
  ) => Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;
  /** Changes every object before it is stored in a cache, for example `stripManagedFields`. */
  readonly transform?: <T extends KubernetesObject>(object: T) => T;
}

/**
 * Base of the factories: informers that are made once for each resource, shared by all callers, and started and stopped
 * together.
 */
export class InformerSet {
  readonly #options: SharedInformerFactoryOptions;
  /** By resource. Each value is the `InformerWithLister` of the resource's type. */
  readonly #members = new Map<string, { readonly informer: SharedInformer }>();
  readonly #running = new Map<SharedInformer, Promise<void>>();
  readonly #stop = new AbortController();
  /** The signals given to `start`, each with a function that removes its listener. */
  readonly #signals = new Map<AbortSignal, () => void>();

  constructor(options: SharedInformerFactoryOptions = {}) {
    this.#options = options;
  }

  /** The namespace whose objects the informers hold; undefined for all. */
  get namespace(): string | undefined {
    return this.#options.namespace || undefined;
  }

  /** Starts the informers that were requested and do not run yet. Informers requested later need another call. */
  start(signal?: AbortSignal): void {
    if (signal?.aborted) this.#stop.abort(signal.reason);
    if (this.#stop.signal.aborted) return;
    if (signal && !this.#signals.has(signal)) {
      this.#signals.set(
        signal,
        onAbort(signal, () => this.#stop.abort(signal.reason)),
      );
    }
    for (const { informer } of this.#members.values()) {
      if (!this.#running.has(informer)) this.#running.set(informer, informer.run(this.#stop.signal));
    }
  }

  /** Resolves when the caches of all started informers have synced; rejects with the signal's reason. */
  async waitForCacheSync(signal?: AbortSignal): Promise<void> {
    await waitForCacheSync(signal, ...this.#running.keys());
  }

  /** Stops all informers permanently, and resolves when they and their handlers have ended. */
  async shutdown(): Promise<void> {
    this.#stop.abort();
    for (const unlink of this.#signals.values()) unlink();
    await Promise.all(this.#running.values());
  }

  /** Returns the informer of the resource if it was requested before. */
  known(resource: MetaGroupVersionResource): InformerWithLister<KubernetesObject> | undefined {
    // Every resource's objects are KubernetesObjects.
    return this.#members.get(keyOf(resource)) as InformerWithLister<KubernetesObject> | undefined;
  }

  /**
   * Returns the informer of the resource, and makes it on the first call. `noun` names an object in the lister's
   * NotFound errors.
   */
  protected member<T extends KubernetesObject>(
    resource: MetaGroupVersionResource,
    client: () => ListerWatcher<T>,
    noun: string = resource.resource,
  ): InformerWithLister<T> {
    const key = keyOf(resource);
    const known = this.#members.get(key);
    // Safe, because a resource has one type of objects.
    if (known) return known as InformerWithLister<T>;
    const { tweakListOptions, ...options } = this.#options;
    const informer = new SharedIndexInformer<T>(client(), {
      ...options,
      name: resource.group ? `${resource.resource}.${resource.group}` : resource.resource,
      ...(tweakListOptions && { listOptions: tweakListOptions(resource) }),
    });
    const member = { informer, lister: new Lister(informer.indexer, { group: resource.group, resource: noun }) };
    this.#members.set(key, member);
    return member;
  }
}

const keyOf = ({ group, version, resource }: MetaGroupVersionResource): string => `${group}/${version}/${resource}`;
