import { setMaxListeners } from 'node:events';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { EventLoop } from '@coxswain/apimachinery/turns';
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
  stopRecorder,
  stripManagedFields,
  systemClock,
} from '@coxswain/client';
import { Activity, type ControllerContext, type ControllerDefinition } from '../controller/controller.ts';
import { ResourceMonitors } from '../monitors/resource-monitors.ts';
import { type ClientBuilder, oneClientForAll } from './client-builder.ts';
import { ServedResources } from './served-resources.ts';

/** Short enough to go unnoticed, long enough to combine the events of many pods of one owner. */
export const defaultCoalesceMs = 50;

export interface ControllerManagerOptions {
  /** The client of the informers. */
  readonly rest: RESTClient;
  /** Provides the controllers' clients. By default all use `rest`. */
  readonly clientBuilder?: ClientBuilder;
  readonly controllers: readonly ControllerDefinition[];
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly eventLoop?: EventLoop;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** See `ControllerContext.coalesceMs`. Default: 0. */
  readonly coalesceMs?: number;
  /** Called with the names of the controllers that run: those for which the server has all needed resources. */
  readonly onRunning?: (controllers: readonly string[]) => void;
  /** Freezes cached objects, so that changing one throws. For tests. */
  readonly freezeCaches?: boolean;
}

interface Parts {
  readonly context: ControllerContext;
  readonly recorder: CoreEventRecorder;
  readonly served: ServedResources;
}

/** Runs several controllers that share one set of informers. */
export class ControllerManager {
  readonly activity = new Activity();
  readonly #options: ControllerManagerOptions;

  constructor(options: ControllerManagerOptions) {
    this.#options = options;
  }

  /** Runs all controllers until the signal is aborted. Resolves when everything that was started has ended. */
  async run(signal: AbortSignal): Promise<void> {
    // Every controller and informer adds a listener to the signal. That is not a leak.
    setMaxListeners(0, signal);
    const parts = this.#parts();
    const { context, recorder } = parts;
    const running = await this.#start(parts, signal);
    running.push(context.monitors.run(signal));
    await Promise.all(running);
    await context.informers.shutdown();
    await stopRecorder(recorder, context.clock);
  }

  /** Creates the controllers, with the informers they need, and runs them. */
  async #start({ context, served }: Parts, signal: AbortSignal): Promise<Promise<void>[]> {
    const { controllers, logger = silentLogger, onRunning } = this.#options;
    await served.look(controllers, signal);
    const made = controllers
      .filter((definition) => served.isEnoughFor(definition))
      .map((definition) => ({
        name: definition.name,
        controller: definition.create(this.#contextOf(definition, context)),
      }));
    onRunning?.(made.map(({ name }) => name));
    context.informers.start(signal);
    return made.map(({ name, controller }) =>
      controller.run(signal).catch((error: unknown) => logger.error('Controller ended', error, { controller: name })),
    );
  }

  /** The context of one controller: all is shared except its logger and its clients. */
  #contextOf({ name }: ControllerDefinition, shared: ControllerContext): ControllerContext {
    const { rest, clientBuilder = oneClientForAll(rest) } = this.#options;
    const own = clientBuilder.clientFor(name);
    const context = { ...shared, logger: shared.logger.named(name) };
    if (own === rest) return context;
    return {
      ...context,
      rest: own,
      clients: new ClientSet(own),
      dynamic: new DynamicClient(own, { mapper: context.mapper }),
      metadata: new MetadataClient(own),
    };
  }

  #parts(): Parts {
    const { rest, clock = systemClock, random = systemRandom.number, logger = silentLogger } = this.#options;
    const { metrics = noMetrics, freezeCaches = false, coalesceMs = 0, eventLoop } = this.#options;
    const clients = new ClientSet(rest);
    const server = new DiscoveryClient(rest);
    const discovery = new CachedDiscovery(server);
    const mapper = new DeferredRESTMapper(discovery);
    const recorder = new CoreEventRecorder({
      events: (namespace) => clients.core.v1.events(namespace).withoutAnswers(),
      source: { component: 'controller-manager' },
      clock,
      random,
      logger,
    });
    const metadata = new MetadataClient(rest);
    const cacheOptions = { clock, random, logger, metrics, freeze: freezeCaches };
    // No controller reads managedFields, and an update without them leaves them unchanged.
    const informers = new SharedInformerFactory(clients, { ...cacheOptions, transform: stripManagedFields });
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
      ...(eventLoop && { eventLoop }),
      logger,
      metrics,
      coalesceMs,
      activity: this.activity,
      isServed: (resource) => served.has(resource),
    };
    return { context, recorder, served };
  }
}
