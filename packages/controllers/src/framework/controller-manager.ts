import { setMaxListeners } from 'node:events';
import {
  CachedDiscovery,
  ClientSet,
  type Clock,
  CoreEventRecorder,
  DeferredRESTMapper,
  DiscoveryClient,
  DynamicClient,
  type Logger,
  MetadataClient,
  type Metrics,
  noMetrics,
  type RESTClient,
  SharedInformerFactory,
  silentLogger,
  systemClock,
} from '@coxswain/client';
import { Activity, type ControllerContext, type ControllerDefinition } from './controller.ts';
import { ResourceMonitors } from './resource-monitors.ts';
import { ServedResources } from './served-resources.ts';

export interface ControllerManagerOptions {
  readonly rest: RESTClient;
  readonly controllers: readonly ControllerDefinition[];
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Fail on every change to a cached object; for tests. */
  readonly freezeCaches?: boolean;
}

/** Several controllers over one set of caches. */
export class ControllerManager {
  readonly activity = new Activity();
  readonly #options: ControllerManagerOptions;

  constructor(options: ControllerManagerOptions) {
    this.#options = options;
  }

  /** Runs all of them until the signal is aborted; resolves when they and everything they started have ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger = silentLogger, controllers } = this.#options;
    // Every controller and informer listens to it: that is no leak.
    setMaxListeners(0, signal);
    const { context, recorder, served } = this.#context();
    await served.look(controllers, signal);
    const made = controllers.filter((definition) => served.isEnoughFor(definition)).map((definition) => ({ name: definition.name, controller: definition.create(context) }));
    context.informers.start(signal);
    const monitoring = context.monitors.run(signal);
    await Promise.all(
      made.map(({ name, controller }) =>
        controller.run(signal).catch((error: unknown) => logger.error(`${name} has ended`, error)),
      ),
    );
    await monitoring;
    await context.informers.shutdown();
    await recorder.stop();
  }

  #context(): { context: ControllerContext; recorder: CoreEventRecorder; served: ServedResources } {
    const { rest, clock = systemClock, random = Math.random, logger = silentLogger } = this.#options;
    const { metrics = noMetrics, freezeCaches = false } = this.#options;
    const clients = new ClientSet(rest);
    const server = new DiscoveryClient(rest);
    const discovery = new CachedDiscovery(server);
    const mapper = new DeferredRESTMapper(discovery);
    const recorder = new CoreEventRecorder({
      events: (namespace) => clients.core.v1.events(namespace),
      source: { component: 'controller-manager' },
      clock,
      random,
      logger,
    });
    const metadata = new MetadataClient(rest);
    const cacheOptions = { clock, random, logger, metrics, freeze: freezeCaches };
    const informers = new SharedInformerFactory(clients, cacheOptions);
    const served = new ServedResources({ discovery, clock, logger });
    const context: ControllerContext = {
      rest,
      clients,
      dynamic: new DynamicClient(rest, { mapper }),
      metadata,
      discovery,
      mapper,
      informers,
      monitors: new ResourceMonitors({ discovery: server, metadata, informers, mapper, ...cacheOptions }),
      recorder: (component) => recorder.withSource({ component }),
      clock,
      random,
      logger,
      metrics,
      activity: this.activity,
      isServed: (resource) => served.has(resource),
    };
    return { context, recorder, served };
  }
}
