import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import {
  ClientSet,
  type Clock,
  childSignal,
  EventSeriesRecorder,
  type Logger,
  type Metrics,
  noMetrics,
  type RESTClient,
  SharedInformerFactory,
  silentLogger,
  systemClock,
  waitForCacheSync,
} from '@coxswain/client';
import { SchedulerCache } from './cache/scheduler-cache.ts';
import { completeConfiguration } from './config/complete-configuration.ts';
import { profilesWithIgnoredResources } from './config/ignored-resources.ts';
import type { SchedulerConfiguration } from './config/types.ts';
import { addEventHandlers } from './events/add-event-handlers.ts';
import type { PluginDefinition } from './framework/handle.ts';
import { PodsInPreBind } from './framework/pods-in-pre-bind.ts';
import { Framework } from './framework/runtime.ts';
import { HeldPods } from './framework/waiting-pod.ts';
import { inTreePlugins } from './plugins/index.ts';
import { PodNominator } from './queue/pod-nominator.ts';
import { hintsForEverything, QueueingHints, registeredHints } from './queue/queueing-hints.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { BindingCycle } from './scheduling/binding-cycle.ts';
import { BoundedTasks } from './scheduling/bounded-tasks.ts';
import { type Extenders, newExtenders } from './scheduling/extenders.ts';
import { FailureHandler } from './scheduling/failure-handler.ts';
import { extenderName } from './scheduling/fit-error.ts';
import { NodeFinder } from './scheduling/node-finder.ts';
import type { SchedulingContext } from './scheduling/scheduling-context.ts';
import { SchedulingCycle } from './scheduling/scheduling-cycle.ts';
import { SchedulingLoop } from './scheduling/scheduling-loop.ts';
import { SchedulingMetrics } from './scheduling/scheduling-metrics.ts';

export interface SchedulerOptions {
  readonly rest: RESTClient;
  /** That of the default scheduler unless told; `parseConfiguration` and `completeConfiguration` make others. */
  readonly config?: SchedulerConfiguration;
  /** Plug-ins beside those that are there, for profiles to enable. */
  readonly plugins?: readonly PluginDefinition[];
  readonly clock?: Clock;
  /** In [0, 1): chooses among nodes that are equally good. */
  readonly random?: () => number;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** How long a pod waits for an event at most; 5 minutes unless told. */
  readonly podMaxInUnschedulablePodsMs?: number;
  /** Where it runs, which events tell; the name of this host unless told. */
  readonly host?: string;
  /** Fail on every change to a cached object; for tests. */
  readonly freezeCaches?: boolean;
  /** Called when all caches are filled. */
  readonly onSynced?: () => void;
  /** Called when it begins to schedule. */
  readonly onStarted?: () => void;
}

/** Bindings and status updates that are under way at once: more would only wait at the server. */
const maxWritesInFlight = 128;
/** A burst of so many pods may be scheduled faster than events are written. */
const eventQueueSize = 10_000;
/** How long events may take to be written when all else has ended. */
const flushMs = 1000;
const cacheMetricsMs = 1000;

/**
 * Gives a node to every pod that asks for one of its profiles. It knows of the cluster through informers and writes bindings,
 * events and pods' conditions; a new one goes on where another has stopped.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #parts: RunningParts | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /**
   * Whether it has done all that there is to do at this moment of the clock. Pods that plug-ins hold back, or prepare volumes
   * for, do not count. For tests, which wait for it.
   */
  get isIdle(): boolean {
    return this.#parts !== undefined && isIdle(this.#parts);
  }

  /**
   * Schedules until the signal is aborted; resolves when nothing is under way any more. Rejects at once when the
   * configuration makes no sense. Caches are filled at once, but nothing is scheduled before `turn`: for one that waits
   * to become the leader.
   */
  async run(signal: AbortSignal, turn: Promise<void> = Promise.resolve()): Promise<void> {
    // Every informer and every request listens to it.
    setMaxListeners(0, signal);
    const parts = assemble(this.#options);
    const { informers, registrations, loop, queue, held, bindings, failures, recorders, extenders } = parts;
    const { clock = systemClock } = this.#options;
    const measuring = measureCache(parts, clock);
    try {
      informers.start(signal);
      await waitForCacheSync(signal, ...registrations);
      await informers.waitForCacheSync(signal);
      this.#options.onSynced?.();
      await Promise.race([turn, aborted(signal)]);
      if (signal.aborted) return;
      this.#options.onStarted?.();
      this.#parts = parts;
      await loop.run(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#parts = undefined;
      measuring.stop();
      queue.close();
      for (const pod of held) pod.reject('', 'the scheduler ends');
      await bindings.ended();
      await failures.ended();
      await informers.shutdown();
      await Promise.all(recorders.map((recorder) => stopRecorder(recorder, clock)));
      await extenders.close();
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** All that works together while a scheduler runs. */
type RunningParts = ReturnType<typeof assemble>;

function isIdle({ loop, writes, failures, bindings, held, podsInPreBind }: RunningParts): boolean {
  return loop.isIdle && writes.isIdle && failures.isIdle && bindings.size <= held.size + podsInPreBind.size;
}

/** Makes everything; nothing is asked of the server yet. Throws when the configuration makes no sense. */
function assemble(options: SchedulerOptions) {
  const { rest, plugins = [], config = completeConfiguration() } = options;
  const { clock = systemClock, random = Math.random, logger = silentLogger, metrics = noMetrics } = options;
  const clients = new ClientSet(rest);
  const informers = new SharedInformerFactory(clients, {
    clock,
    random,
    logger,
    metrics,
    freeze: options.freezeCaches ?? false,
    // Pods that have ended take no place: they need not be known.
    tweakListOptions: ({ group, resource }) =>
      group === '' && resource === 'pods' ? { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' } : {},
  });
  const pods = informers.core.v1.pods.informer.indexer;
  const nominator = new PodNominator(({ metadata: { namespace = '', name = '', uid } }) => {
    const known = pods.getByKey(`${namespace}/${name}`);
    return known?.metadata.uid === uid && !known?.spec?.nodeName;
  });
  const cache = new SchedulerCache();
  const held = new HeldPods();
  const podsInPreBind = new PodsInPreBind();
  const extenders: Extenders = newExtenders(config.extenders, clock);
  const definitions = registry(plugins);
  const recorders: EventSeriesRecorder[] = [];
  const frameworks = new Map<string, Framework>();
  for (const profile of profilesWithIgnoredResources(config)) {
    const recorder = new EventSeriesRecorder({
      events: (namespace) => clients.events.v1.events(namespace),
      reportingController: profile.schedulerName,
      host: options.host ?? hostname(),
      queueSize: eventQueueSize,
      clock,
      random,
      logger,
      metrics,
    });
    recorders.push(recorder);
    const framework = new Framework(profile, definitions, {
      clients,
      informers,
      recorder,
      clock,
      random,
      logger,
      metrics,
      nominator,
      extenders: extenders.extenders,
      waitingPods: held,
      podsInPreBind,
      snapshot: () => cache.snapshot,
      activate: (activated) => queue.activate(activated),
    });
    frameworks.set(profile.schedulerName, framework);
  }
  const [first] = frameworks.values();
  if (!first) throw new Error('at least one profile is required');
  const forExtenders = config.extenders.length > 0 ? hintsForEverything(extenderName) : [];
  const hints = new QueueingHints(
    new Map(
      Array.from(frameworks, ([name, framework]) => [name, [...registeredHints(framework.plugins), ...forExtenders]]),
    ),
  );
  const queue = new SchedulingQueue({
    less: (a, b) => first.less(a, b),
    preEnqueue: new Map(Array.from(frameworks, ([name, framework]) => [name, framework.at('preEnqueue')])),
    hints,
    nominator,
    clock,
    logger,
    metrics,
    podInitialBackoffMs: config.podInitialBackoffSeconds * 1000,
    podMaxBackoffMs: config.podMaxBackoffSeconds * 1000,
    ...(options.podMaxInUnschedulablePodsMs !== undefined && {
      podMaxInUnschedulablePodsMs: options.podMaxInUnschedulablePodsMs,
    }),
  });
  const registrations = addEventHandlers({
    informers,
    cache,
    queue,
    profiles: frameworks,
    actions: hints.actions(),
    clock,
    logger,
    metrics,
  });
  const writes = new BoundedTasks(maxWritesInFlight);
  const schedulingMetrics = new SchedulingMetrics(metrics, clock);
  const context: SchedulingContext = {
    clients,
    pods,
    cache,
    queue,
    clock,
    random,
    logger,
    metrics: schedulingMetrics,
    writes,
  };
  const { percentageOfNodesToScore } = config;
  const finder = new NodeFinder({ extenders: extenders.extenders, percentageOfNodesToScore });
  const scheduling = new SchedulingCycle(context, finder);
  const failures = new FailureHandler(context);
  const bindings = new BindingCycle(context, scheduling, failures);
  const loop = new SchedulingLoop(context, { frameworks, scheduling, bindings, failures });
  return {
    informers,
    registrations,
    cache,
    queue,
    held,
    podsInPreBind,
    writes,
    failures,
    bindings,
    loop,
    recorders,
    extenders,
    metrics: schedulingMetrics,
  };
}

function registry(plugins: readonly PluginDefinition[]): Map<string, PluginDefinition> {
  const definitions = new Map<string, PluginDefinition>();
  for (const definition of [...inTreePlugins, ...plugins]) {
    if (definitions.has(definition.name)) throw new Error(`a plugin named ${definition.name} already exists`);
    definitions.set(definition.name, definition);
  }
  return definitions;
}

/** Every second, as long as it is not stopped. */
function measureCache({ cache, metrics }: RunningParts, clock: Clock): { stop(): void } {
  const measure = (): void => {
    metrics.cached(cache.size);
    timer = clock.setTimeout(measure, cacheMetricsMs, { background: true });
  };
  let timer = clock.setTimeout(measure, cacheMetricsMs, { background: true });
  return { stop: () => timer.cancel() };
}

async function stopRecorder(recorder: EventSeriesRecorder, clock: Clock): Promise<void> {
  const { signal, dispose } = childSignal({ timeoutMs: flushMs, clock });
  await recorder.flush(signal).catch(() => {});
  dispose();
  await recorder.stop();
}
