import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { GroupResource, GroupVersion, newNotFound } from '@coxswain/apimachinery';
import { sleep } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import { nodeSignatures } from '@coxswain/client/x509';
import type { CacheStats } from '@coxswain/storage';
import type { DiscoveryRegistry } from '../discovery/index.ts';
import type { ResourceRouter } from '../endpoints/resource-router.ts';
import type { ResourceScope } from '../endpoints/scope.ts';
import type { Lister, Listers } from '../registry/lister.ts';
import { isConditionTrue } from './conditions.ts';
import { DefinitionController } from './definition-controller.ts';
import { deleteInstances } from './delete-instances.ts';
import { discoveredVersion } from './discovered-version.ts';
import type { CustomResourceOpenApi } from './openapi/index.ts';
import { ServedDefinition, type ServingOptions } from './served-definition.ts';

const definitionsOf = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/**
 * How long a deleted definition stays after its objects were deleted. During that time, other servers on the same store
 * learn of the deletion and reject new objects, and clients that start to watch after the response to their DELETE, as
 * kube-rs does, see the definition being removed. Upstream has a similar delay of 10 to 150 ms from its informer.
 */
const removalDelayMs = 100;

interface CustomResourcesOptions extends ServingOptions {
  readonly listers: Listers;
  readonly router: ResourceRouter;
  readonly discovery: DiscoveryRegistry;
  readonly openApi: Pick<CustomResourceOpenApi, 'publish' | 'withdraw'>;
  /** Default: sleeps for `removalDelayMs`. */
  readonly pauseBeforeRemoval?: (signal: AbortSignal) => Promise<unknown>;
  readonly logger: Logger;
  /** Called when a resource is no longer served. */
  readonly onWithdrawn?: (resource: GroupResource) => void;
}

/**
 * Serves the resources of CustomResourceDefinitions, with the endpoints and registries of built-in resources. When a
 * definition is written, routes, discovery and OpenAPI are updated before the response is sent.
 */
export class CustomResources {
  readonly #options: CustomResourcesOptions;
  readonly #definitions: Lister<CustomResourceDefinition>;
  readonly #controller: DefinitionController;
  readonly #served = new Map<string, ServedDefinition>();
  /** By definition name, those whose OpenAPI documents are published. */
  readonly #published = new Map<string, ServedDefinition>();
  /** By definition name, the routed versions. */
  readonly #routes = new Map<string, readonly GroupVersion[]>();
  #unfollow: (() => void) | undefined;

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
    this.#definitions = options.listers.lister(definitionsOf.group, definitionsOf.resource);
    this.#controller = new DefinitionController({
      definitions: this.#definitions,
      caughtUp: () => this.#definitionScope.registry.cache.fresh(),
      updateStatus: (definition) => this.#updateStatus(definition),
      deleteInstances: (definition, signal) => this.#deleteInstances(definition, signal),
      pauseBeforeRemoval:
        options.pauseBeforeRemoval ?? ((signal) => sleep(options.clock, removalDelayMs, { signal, background: true })),
      now: options.now,
      clock: options.clock,
      eventLoop: options.eventLoop,
      logger: options.logger,
    });
  }

  /** Resolves when all existing definitions are served. Later ones are served when they are created. */
  async start(): Promise<void> {
    this.#unfollow = this.#definitions.onChange((definition, old) => this.#changed(definition, old));
    await this.#definitions.synced;
    const all = this.#definitions.list();
    for (const definition of all) this.#serve(definition);
    for (const group of new Set(all.map(({ spec }) => spec.group))) this.#discover(group);
    for (const { metadata } of all) this.#controller.enqueue(metadata.name ?? '');
  }

  stop(): void {
    this.#unfollow?.();
    this.#controller.stop();
    for (const served of this.#served.values()) served.stop();
  }

  /** Statistics of the watch caches that are in use, by resource. */
  *cacheStats(): Iterable<[GroupResource, CacheStats]> {
    for (const served of this.#served.values()) {
      const stats = served.cacheStats;
      if (stats) yield [served.groupResource, stats];
    }
  }

  /** Undefined when the resource has no watch cache. */
  cacheStatsOf(group: string, resource: string): CacheStats | undefined {
    return this.#served.get(`${resource}.${group}`)?.cacheStats;
  }

  #changed(definition: CustomResourceDefinition | undefined, old: CustomResourceDefinition | undefined): void {
    const { spec, metadata } = (definition ?? old)!;
    const name = metadata.name ?? '';
    if (definition) this.#serve(definition);
    else this.#withdraw(name);
    this.#discover(spec.group);
    if (definition) this.#controller.enqueue(name);
    else this.#controller.enqueueGroup(spec.group);
  }

  #serve(definition: CustomResourceDefinition): void {
    const name = definition.metadata.name ?? '';
    const isAccepted = isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established');
    if (!isAccepted) {
      this.#withdraw(name);
      return;
    }
    const known = this.#served.get(name);
    if (!known?.servesLike(definition)) {
      const served = new ServedDefinition(definition, this.#options, () => this.#isTerminating(name));
      this.#served.set(name, served);
      this.#route(name, served);
      known?.retire();
    }
    this.#publish(name, isConditionTrue(definition, 'Established') ? this.#served.get(name) : undefined);
  }

  #isTerminating(name: string): boolean {
    const definition = this.#definitions.get('', name);
    return definition !== undefined && isConditionTrue(definition, 'Terminating');
  }

  #route(name: string, served: ServedDefinition): void {
    const { router } = this.#options;
    const { spec } = served.definition;
    const { resource } = served.groupResource;
    const versions = spec.versions.filter((version) => version.served);
    const routes = versions.map((version) => {
      const groupVersion = GroupVersion.of(spec.group, version.name);
      router.setCustom(groupVersion, resource, served.customResource(version));
      return groupVersion;
    });
    for (const groupVersion of this.#routes.get(name) ?? [])
      if (!routes.includes(groupVersion)) router.removeCustom(groupVersion, resource);
    this.#routes.set(name, routes);
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    if (!served) return;
    this.#served.delete(name);
    for (const groupVersion of this.#routes.get(name) ?? [])
      this.#options.router.removeCustom(groupVersion, served.groupResource.resource);
    this.#routes.delete(name);
    this.#publish(name, undefined);
    served.retire();
    this.#options.onWithdrawn?.(served.groupResource);
  }

  #publish(name: string, served: ServedDefinition | undefined): void {
    const { openApi } = this.#options;
    if (this.#published.get(name) === served) return;
    if (served) {
      openApi.publish(served.definition);
      this.#published.set(name, served);
    } else if (this.#published.delete(name)) openApi.withdraw(name);
  }

  /** Updates the group's versions in discovery. */
  #discover(group: string): void {
    const { discovery, router } = this.#options;
    const resources = new Map<string, ReturnType<typeof discoveredVersion>[]>();
    for (const definition of this.#definitions.list()) {
      if (definition.spec.group !== group || !isConditionTrue(definition, 'Established')) continue;
      for (const version of definition.spec.versions) {
        if (!version.served) continue;
        const others = resources.get(version.name) ?? [];
        resources.set(version.name, [...others, discoveredVersion(definition, version)]);
      }
    }
    const known = discovery.ownVersions(group).filter(({ custom }) => custom);
    for (const { version } of known) if (!resources.has(version)) discovery.removeGroupVersion(group, version);
    for (const [version, all] of resources)
      if (!router.isBuiltIn(GroupVersion.of(group, version)))
        discovery.addGroupVersion({ group, version, resources: all, custom: true });
  }

  get #definitionScope(): ResourceScope {
    const { group, version, resource } = definitionsOf;
    return this.#options.router.scope(`${group}/${version}`, resource);
  }

  /** Writes the status as the manager `kube-apiserver`. */
  async #updateStatus(definition: CustomResourceDefinition): Promise<CustomResourceDefinition> {
    const { services, now } = this.#options;
    const { group, resource } = definitionsOf;
    const scope = this.#definitionScope;
    const name = definition.metadata.name ?? '';
    const { stored } = await scope.registry.update({
      namespace: '',
      name,
      subresource: 'status',
      context: { features: services.features, now, dryRun: false, signatures: nodeSignatures },
      change: async (current) => {
        if (!current) throw newNotFound(GroupResource.of(group, resource), name);
        return scope.track({ subresource: 'status', live: current, next: definition, manager: 'kube-apiserver' });
      },
    });
    return scope.registry.codec.decode(stored.line) as CustomResourceDefinition;
  }

  async #deleteInstances(
    definition: CustomResourceDefinition,
    signal: AbortSignal,
  ): ReturnType<typeof deleteInstances> {
    const served = this.#served.get(definition.metadata.name ?? '');
    if (!served) throw new Error(`${definition.metadata.name} is not served`);
    return served.during(() => deleteInstances(served.storageRegistry, this.#options.clock, signal));
  }
}
