import { onAbort } from '@coxswain/apimachinery/abort';
import type { KubernetesObject, ListOptions, MetaGroupVersionResource } from '@coxswain/apimachinery/meta';
import { Lister } from './lister.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { SharedIndexInformer, type SharedIndexInformerOptions, type SharedInformer } from './shared-index-informer.ts';
import { waitForCacheSync } from './wait-for-cache-sync.ts';

/** An informer and the reader of its cache. */
export interface InformerWithLister<T extends KubernetesObject> {
  readonly informer: SharedIndexInformer<T>;
  readonly lister: Lister<T>;
}

/** What all informers of a factory have in common. */
export interface SharedInformerFactoryOptions
  extends Omit<SharedIndexInformerOptions<KubernetesObject>, 'name' | 'indexers' | 'transform' | 'listOptions'> {
  /** Only this one; all by default. Cluster-scoped resources do not care. */
  readonly namespace?: string;
  /** Selectors and the like for all of them; `resource` says whose it is. */
  readonly tweakListOptions?: (
    resource: MetaGroupVersionResource,
  ) => Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;
  /** Changes every object before it goes into a cache; such as `stripManagedFields`. */
  readonly transform?: <T extends KubernetesObject>(object: T) => T;
}

/**
 * Informers that are made once for each resource, shared by all who ask, and started and stopped together. What the
 * factories are built on.
 */
export class InformerSet {
  readonly #options: SharedInformerFactoryOptions;
  /** By resource; an `InformerWithLister` of what the resource's objects are. */
  readonly #members = new Map<string, { readonly informer: SharedInformer }>();
  readonly #running = new Map<SharedInformer, Promise<void>>();
  readonly #stop = new AbortController();
  /** Those that end everything, with how to stop listening to them. */
  readonly #signals = new Map<AbortSignal, () => void>();

  constructor(options: SharedInformerFactoryOptions = {}) {
    this.#options = options;
  }

  /** The namespace whose objects the informers hold; undefined for all. */
  get namespace(): string | undefined {
    return this.#options.namespace || undefined;
  }

  /** Starts what was asked for and does not run yet; more may be asked for later, and started by another call. */
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

  /** Resolves when the caches of all that were started have synced; rejects with the signal's reason. */
  async waitForCacheSync(signal?: AbortSignal): Promise<void> {
    await waitForCacheSync(signal, ...this.#running.keys());
  }

  /** Stops all of them for good, and resolves when nothing is under way any more. */
  async shutdown(): Promise<void> {
    this.#stop.abort();
    for (const unlink of this.#signals.values()) unlink();
    await Promise.all(this.#running.values());
  }

  /** The informer of the resource, if somebody has asked for it. */
  known(resource: MetaGroupVersionResource): InformerWithLister<KubernetesObject> | undefined {
    // A resource's objects are at least that.
    return this.#members.get(keyOf(resource)) as InformerWithLister<KubernetesObject> | undefined;
  }

  /** The one informer of the resource, made by the first who asks; `noun` is what its lister calls an object it lacks. */
  protected member<T extends KubernetesObject>(
    resource: MetaGroupVersionResource,
    client: () => ListerWatcher<T>,
    noun: string = resource.resource,
  ): InformerWithLister<T> {
    const key = keyOf(resource);
    const known = this.#members.get(key);
    // A resource has one type of objects.
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
