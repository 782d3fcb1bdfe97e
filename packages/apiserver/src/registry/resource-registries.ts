import { Catalogue, type FeatureGates, type GroupVersionResources, type Resource } from '@coxswain/api';
import {
  type CodecFactory,
  cloneJson,
  type FieldManager,
  GroupResource,
  GroupVersion,
  type KubernetesObject,
  newNotFound,
  type Preconditions,
} from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { Random } from '@coxswain/apimachinery/random';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { nodeSignatures } from '@coxswain/client/x509';
import type { CacheStats, Store } from '@coxswain/storage';
import { type BuiltInResourceOptions, builtInDefinition } from './built-in-resources.ts';
import { CachedLister } from './cached-lister.ts';
import type { InternalApplier, InternalClient, InternalWrite, Lister, Listers } from './lister.ts';
import { newFieldManager } from './new-field-manager.ts';
import type { WriteContext } from './resource-hooks.ts';
import { ResourceRegistry } from './resource-registry.ts';

export interface ResourceRegistriesOptions extends Omit<BuiltInResourceOptions, 'hooks'> {
  readonly store: Store;
  readonly root: string;
  readonly codecs: CodecFactory;
  readonly features: FeatureGates;
  readonly random: Random;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
  readonly serviceIPFamilies: readonly ('IPv4' | 'IPv6')[];
  readonly hooks: BuiltInResourceOptions['hooks'];
  readonly onCacheError?: (resource: GroupResource, error: Error) => void;
  /** Returns the store of a resource when it is not `store`: an encrypting one. */
  readonly storeFor?: (resource: GroupResource) => Store;
}

/**
 * The registries of all built-in resources, each created on first use. Parts of the server read and write through it, too: as
 * `Listers` and `InternalClient` over the same registries.
 */
export class ResourceRegistries implements Listers, InternalClient, InternalApplier {
  readonly #options: ResourceRegistriesOptions;
  readonly #registries = new Map<GroupResource, ResourceRegistry>();
  readonly #listers = new Map<GroupResource, Lister>();
  /** The field managers for writes of the server itself, by subresource. */
  readonly #fieldManagers = new WeakMap<ResourceRegistry, Map<string, FieldManager>>();

  constructor(options: ResourceRegistriesOptions) {
    this.#options = options;
  }

  /** Returns the registry of a built-in resource of a group version, or undefined when it is never stored. */
  registryFor(groupVersion: GroupVersion, resource: Resource): ResourceRegistry | undefined {
    const hub = Catalogue.builtIn().hubOf(groupVersion.withKind(resource.kind));
    const known = this.#registries.get(GroupResource.of(hub.group, resource.name));
    if (known) return known;
    const definition = builtInDefinition(groupVersion, resource, this.#options);
    if (!definition) return undefined;
    const { groupResource } = definition;
    const registry = new ResourceRegistry({
      ...this.#options,
      store: this.#options.storeFor?.(groupResource) ?? this.#options.store,
      definition,
      onCacheError: (error) => this.#options.onCacheError?.(groupResource, error),
    });
    this.#registries.set(groupResource, registry);
    return registry;
  }

  lister<T extends KubernetesObject>(group: string, resource: string): Lister<T> {
    const groupResource = GroupResource.of(group, resource);
    let lister = this.#listers.get(groupResource);
    if (!lister) {
      lister = new CachedLister(this.registry(group, resource));
      this.#listers.set(groupResource, lister);
    }
    return lister as Lister<T>;
  }

  async get<T extends KubernetesObject>(group: string, resource: string, namespace: string, name: string): Promise<T> {
    const registry = this.registry(group, resource);
    const stored = await registry.get(namespace, name, '');
    return registry.codec.decode(stored.line) as T;
  }

  async create<T extends KubernetesObject>(
    group: string,
    resource: string,
    object: T,
    write: InternalWrite = {},
  ): Promise<T> {
    const registry = this.registry(group, resource);
    const stored = await registry.create(
      this.#tracked(registry, undefined, this.#complete(registry, object), write),
      this.#context(registry, object.metadata?.namespace),
    );
    return registry.codec.decode(stored.line) as T;
  }

  async update<T extends KubernetesObject>(
    group: string,
    resource: string,
    object: T,
    write: InternalWrite = {},
  ): Promise<T> {
    const registry = this.registry(group, resource);
    return this.#change(registry, object, write, (current) =>
      this.#tracked(registry, current, this.#complete(registry, object), write),
    );
  }

  async apply<T extends KubernetesObject>(
    group: string,
    resource: string,
    configuration: T,
    write: InternalWrite,
  ): Promise<T> {
    const registry = this.registry(group, resource);
    const { manager = ownManager } = write;
    return this.#change(registry, configuration, write, (current) =>
      this.#fieldManager(registry, write).apply(current, configuration, { manager, force: true }),
    );
  }

  async delete(
    group: string,
    resource: string,
    namespace: string,
    name: string,
    preconditions?: Preconditions,
  ): Promise<void> {
    await this.registry(group, resource).delete({
      namespace,
      name,
      options: preconditions ? { preconditions } : {},
      dryRun: false,
    });
  }

  /** The statistics of the watch caches of all resources in use. */
  *cacheStats(): Iterable<[GroupResource, CacheStats]> {
    for (const [resource, { cache }] of this.#registries) yield [resource, cache.stats];
  }

  /** Returns the statistics of a resource's watch cache, or undefined when the resource is not in use. */
  cacheStatsOf(group: string, resource: string): CacheStats | undefined {
    return this.#registries.get(GroupResource.of(group, resource))?.cache.stats;
  }

  stop(): void {
    for (const { cache } of this.#registries.values()) cache.stop();
  }

  /** Returns the registry of a resource, by the group of its hub version. Throws an Error when there is no such stored resource. */
  registry(group: string, resource: string): ResourceRegistry {
    const known = this.#registries.get(GroupResource.of(group, resource));
    if (known) return known;
    const found = findResource(group, resource);
    const registry = found && this.registryFor(GroupVersion.of(group, found[0].version), found[1]);
    if (!registry) throw new Error(`${GroupResource.of(group, resource)} is not a stored resource`);
    return registry;
  }

  async #change<T extends KubernetesObject>(
    registry: ResourceRegistry,
    object: T,
    { subresource }: InternalWrite,
    change: (current: KubernetesObject) => KubernetesObject,
  ): Promise<T> {
    const { namespace = '', name = '' } = object.metadata ?? {};
    const { stored } = await registry.update({
      namespace,
      name,
      context: this.#context(registry, namespace),
      ...(subresource && { subresource }),
      change: async (current) => {
        if (!current) throw newNotFound(registry.definition.groupResource, name);
        return change(current);
      },
    });
    return registry.codec.decode(stored.line) as T;
  }

  #tracked(
    registry: ResourceRegistry,
    live: KubernetesObject | undefined,
    next: KubernetesObject,
    write: InternalWrite,
  ): KubernetesObject {
    const { manager = ownManager, untracked } = write;
    return untracked ? next : this.#fieldManager(registry, write).updateNoErrors(live, next, manager);
  }

  #fieldManager(registry: ResourceRegistry, { subresource = '' }: InternalWrite): FieldManager {
    const known = this.#fieldManagers.get(registry) ?? new Map<string, FieldManager>();
    this.#fieldManagers.set(registry, known);
    let manager = known.get(subresource);
    if (!manager) {
      const { scheme, now } = this.#options;
      manager = newFieldManager(registry, { kind: registry.definition.hub, subresource, scheme, now });
      known.set(subresource, manager);
    }
    return manager;
  }

  /** Returns a normalized copy with defaults, as if decoded from a client's request. */
  #complete({ definition }: ResourceRegistry, object: KubernetesObject): KubernetesObject {
    const copy = cloneJson(object);
    const complete = definition.complete?.(copy) ?? copy;
    this.#options.scheme.default(complete);
    return complete;
  }

  #context(registry: ResourceRegistry, namespace = ''): WriteContext {
    const { features, now, serviceIPFamilies } = this.#options;
    return {
      features,
      now,
      serviceIPFamilies,
      ...(registry.definition.namespaced && { namespace }),
      dryRun: false,
      signatures: nodeSignatures,
    };
  }
}

/** The manager of the server's own writes in managedFields. */
const ownManager = 'kube-apiserver';

function findResource(group: string, name: string): [GroupVersionResources, Resource] | undefined {
  for (const version of Catalogue.builtIn().groupVersions) {
    if (version.group !== group) continue;
    const resource = version.resources.find((candidate) => candidate.name === name);
    if (resource) return [version, resource];
  }
  return undefined;
}
