import { GroupVersion, type KubernetesObject } from '@coxswain/apimachinery/meta';
import {
  type Clock,
  type DeferredRESTMapper,
  type DiscoveryInterface,
  filteredBy,
  type Logger,
  type MetadataClient,
  type Metrics,
  type ResourceDescription,
  type ResourceEventHandler,
  type ResourceEventHandlerRegistration,
  type ServerResources,
  SharedIndexInformer,
  type SharedInformerFactory,
  sleep,
  supportsAllVerbs,
  untilAborted,
} from '@coxswain/client';

/** A resource in the version that the server prefers. */
export interface MonitoredResource extends ResourceDescription {
  readonly verbs: readonly string[];
}

/** Who wants to know of objects of every kind there is. */
export interface MonitorSubscriber {
  wants(resource: MonitoredResource): boolean;
  /** Hears of the objects of a resource that it wants. */
  handlerFor(resource: MonitoredResource): ResourceEventHandler<KubernetesObject>;
  /** The handler has heard of all objects that were there. */
  onSynced?(resource: MonitoredResource): void;
  /** The server no longer has the resource, and nothing more will be heard of its objects. */
  onStopped?(resource: MonitoredResource): void;
}

/** What is known of a resource that can be listed and watched. */
export interface Monitor {
  readonly resource: MonitoredResource;
  /** Its objects have at least the metadata that `essentials` keeps. */
  readonly informer: SharedIndexInformer<KubernetesObject>;
}

interface RunningMonitor extends Monitor {
  readonly handlers: readonly ResourceEventHandlerRegistration[];
  readonly subscribers: readonly MonitorSubscriber[];
  /** Ends the informer; absent when that is a shared one, which goes on without us. */
  readonly stop?: AbortController;
}

export interface ResourceMonitorsOptions {
  /** Asks the server each time. */
  readonly discovery: DiscoveryInterface;
  readonly metadata: MetadataClient;
  /** Informers that controllers use anyway: what they hold is not held twice. */
  readonly informers: SharedInformerFactory;
  /** Is told to forget everything when resources come or go. */
  readonly mapper: DeferredRESTMapper;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly freeze?: boolean;
}

/** How often the server is asked for new resources, and how soon again when there is no answer at the start. */
const syncPeriodMs = 30_000;
const firstRetryMs = 1000;
/** How long all resources together are given to be listed. */
const patienceMs = 30_000;

/**
 * Follows the objects of all resources that the server has, as CustomResourceDefinitions and API services come and go.
 * Nothing is asked of the server unless somebody subscribes. Holds the essentials of the objects' metadata, once for all
 * subscribers, and not at all where an informer has the objects already.
 */
export class ResourceMonitors {
  readonly #options: ResourceMonitorsOptions;
  readonly #subscribers: MonitorSubscriber[] = [];
  /** By group, version and resource: what somebody wants, and the server had when it was last asked. */
  readonly #monitors = new Map<string, RunningMonitor>();
  /** Informers that have not ended yet. */
  readonly #running = new Set<Promise<void>>();
  #isDiscovered: () => void = () => {};
  readonly #discovered = new Promise<void>((resolve) => {
    this.#isDiscovered = resolve;
  });

  constructor(options: ResourceMonitorsOptions) {
    this.#options = options;
  }

  /** To be called before `run`. */
  subscribe(subscriber: MonitorSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  get(resource: Pick<MonitoredResource, 'group' | 'version' | 'resource'>): Monitor | undefined {
    return this.#monitors.get(keyOf(resource));
  }

  /**
   * Resolves with true when all handlers have heard of all objects there are, with false when that takes too long: one
   * resource that cannot be listed is not to hold up everything. Also false when the signal is aborted.
   */
  async whenSynced(signal: AbortSignal): Promise<boolean> {
    const enough = new AbortController();
    const end = (): void => enough.abort();
    const timer = this.#options.clock.setTimeout(end, patienceMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      await untilAborted(this.#discovered, enough.signal);
      const handlers = [...this.#monitors.values()].flatMap((monitor) => monitor.handlers);
      // One whose resource is gone never syncs, and need not.
      const synced = Promise.all(handlers.map((handler) => handler.whenSynced().catch(() => {})));
      await untilAborted(synced, enough.signal);
      return true;
    } catch {
      return false;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', end);
    }
  }

  /** Follows until the signal is aborted; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#subscribers.length === 0) return;
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#sync(signal);
      } catch (error) {
        if (!signal.aborted) logger.error('Failed to discover resources', error);
      }
      const delayMs = this.#monitors.size === 0 ? firstRetryMs : syncPeriodMs;
      await sleep(clock, delayMs, signal).catch(() => {});
    }
    for (const { stop } of this.#monitors.values()) stop?.abort();
    await Promise.all(this.#running);
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { discovery, mapper, logger } = this.#options;
    const found = await discovery.preferredResources({ signal });
    if (found.failure) logger.warn('Failed to discover some groups', { err: found.failure });
    const resources = resourcesIn(found, (resource) => this.#subscribers.some((one) => one.wants(resource)));
    if (resources.size === 0) return;
    // What the server could not tell of may still be there.
    const isUnknown = ({ group, version }: MonitoredResource): boolean =>
      found.failure?.groupVersions.has(`${GroupVersion.of(group, version)}`) === true;
    const gone = [...this.#monitors].filter(([key, { resource }]) => !resources.has(key) && !isUnknown(resource));
    const added = [...resources].filter(([key]) => !this.#monitors.has(key));
    if (gone.length > 0 || added.length > 0) mapper.reset();
    for (const [key, monitor] of gone) this.#stop(key, monitor);
    for (const [key, resource] of added) this.#start(key, resource);
    this.#isDiscovered();
  }

  #start(key: string, resource: MonitoredResource): void {
    const subscribers = this.#subscribers.filter((subscriber) => subscriber.wants(resource));
    const shared = this.#options.informers.known(resource)?.informer;
    const informer = shared ?? this.#newInformer(resource);
    const handlers = subscribers.map((subscriber) => {
      const registration = informer.addEventHandler(subscriber.handlerFor(resource));
      // It rejects when the informer ends; no signal is needed for that.
      registration.whenSynced().then(
        () => subscriber.onSynced?.(resource),
        () => {},
      );
      return registration;
    });
    const monitor = { resource, informer, handlers, subscribers };
    if (shared) {
      this.#monitors.set(key, monitor);
      return;
    }
    const stop = new AbortController();
    this.#monitors.set(key, { ...monitor, stop });
    const running = informer.run(stop.signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #stop(key: string, { resource, informer, handlers, subscribers, stop }: RunningMonitor): void {
    this.#monitors.delete(key);
    stop?.abort();
    for (const handler of handlers) void informer.removeEventHandler(handler);
    for (const subscriber of subscribers) subscriber.onStopped?.(resource);
  }

  #newInformer(resource: MonitoredResource): SharedIndexInformer<KubernetesObject> {
    const { metadata, clock, random, logger, metrics, freeze = false } = this.#options;
    return new SharedIndexInformer<KubernetesObject>(metadata.resource(resource, resource), {
      name: resource.group ? `${resource.resource}.${resource.group}` : resource.resource,
      transform: essentials,
      clock,
      random,
      logger,
      metrics,
      freeze,
    });
  }
}

const keyOf = ({ group, version, resource }: Pick<MonitoredResource, 'group' | 'version' | 'resource'>): string =>
  `${group}/${version}/${resource}`;

function resourcesIn(
  { resourceLists }: ServerResources,
  isWanted: (resource: MonitoredResource) => boolean,
): Map<string, MonitoredResource> {
  const resources = new Map<string, MonitoredResource>();
  for (const list of filteredBy(resourceLists, supportsAllVerbs('list', 'watch'))) {
    const { group, version } = GroupVersion.parse(list.groupVersion);
    for (const { name, kind, namespaced, verbs } of list.resources) {
      const resource = { group, version, resource: name, kind, namespaced, verbs };
      if (isWanted(resource)) resources.set(keyOf(resource), resource);
    }
  }
  return resources;
}

/** What an object is, who owns it, and whether it is to go: all that is kept of it. */
function essentials({ metadata = {} }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp } = metadata;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(ownerReferences && { ownerReferences }),
      ...(finalizers && { finalizers }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
  };
}
