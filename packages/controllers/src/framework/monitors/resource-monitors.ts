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

/** Receives the events of the objects of all resources that it wants. */
export interface MonitorSubscriber {
  wants(resource: MonitoredResource): boolean;
  /** Returns the handler for the objects of a wanted resource. */
  handlerFor(resource: MonitoredResource): ResourceEventHandler<KubernetesObject>;
  /** Called when the handler has received all objects of the initial list. */
  onSynced?(resource: MonitoredResource): void;
  /** Called when the server no longer has the resource. The handler receives nothing more. */
  onStopped?(resource: MonitoredResource): void;
}

/** A resource that is being watched. */
export interface Monitor {
  readonly resource: MonitoredResource;
  /** Its cached objects have at least the metadata that `essentials` keeps. */
  readonly informer: SharedIndexInformer<KubernetesObject>;
}

interface RunningMonitor extends Monitor {
  readonly handlers: readonly ResourceEventHandlerRegistration[];
  readonly subscribers: readonly MonitorSubscriber[];
  /** Stops the informer. Absent for a shared informer, which continues to run. */
  readonly stop?: AbortController;
}

export interface ResourceMonitorsOptions {
  /** Must not be cached: every call asks the server. */
  readonly discovery: DiscoveryInterface;
  readonly metadata: MetadataClient;
  /** Shared informers. A resource that already has one gets no second informer. */
  readonly informers: SharedInformerFactory;
  /** Reset when resources are added or removed. */
  readonly mapper: DeferredRESTMapper;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly freeze?: boolean;
}

/** How often discovery runs, and how soon it is retried as long as no resource is known. */
const syncPeriodMs = 30_000;
const firstRetryMs = 1000;
/** How long `whenSynced` waits for discovery and all resources together. */
const patienceMs = 30_000;

/**
 * Watches the objects of all resources that the server has, as CustomResourceDefinitions and APIServices are added and removed.
 * Without subscribers it sends no requests. It caches the essential metadata of each object once for all subscribers, and caches
 * nothing for resources that have a shared informer.
 */
export class ResourceMonitors {
  readonly #options: ResourceMonitorsOptions;
  readonly #subscribers: MonitorSubscriber[] = [];
  /** By group, version and resource: the resources that a subscriber wants and that the server had at the last discovery. */
  readonly #monitors = new Map<string, RunningMonitor>();
  /** The runs of informers that have not ended yet. */
  readonly #running = new Set<Promise<void>>();
  #isDiscovered: () => void = () => {};
  readonly #discovered = new Promise<void>((resolve) => {
    this.#isDiscovered = resolve;
  });

  constructor(options: ResourceMonitorsOptions) {
    this.#options = options;
  }

  /** Must be called before `run`. */
  subscribe(subscriber: MonitorSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  get(resource: Pick<MonitoredResource, 'group' | 'version' | 'resource'>): Monitor | undefined {
    return this.#monitors.get(keyOf(resource));
  }

  /**
   * Resolves with true when all handlers have received all existing objects. Resolves with false after a timeout, so that one
   * resource that cannot be listed does not block everything, and when the signal is aborted.
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
      // The promise of a resource that was removed rejects; that is ignored.
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

  /** Watches until the signal is aborted. Resolves when all informers have ended. */
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
    // Resources of a group that discovery failed for may still exist.
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
      // The promise rejects when the informer ends, so no signal is needed.
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

/** Keeps only the metadata that identifies the object, its owners, its finalizers and its deletion timestamp. */
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
