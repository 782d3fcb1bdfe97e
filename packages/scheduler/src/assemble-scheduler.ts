import { hostname } from 'node:os';
import { systemRandom } from '@coxswain/apimachinery/random';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import {
  ClientSet,
  EventSeriesRecorder,
  noMetrics,
  SharedInformerFactory,
  silentLogger,
  stripManagedFields,
  systemClock,
} from '@coxswain/client';
import { SchedulerCache } from './cache/scheduler-cache.ts';
import { completeConfiguration } from './config/complete-configuration.ts';
import { profilesWithIgnoredResources } from './config/ignored-resources.ts';
import { addEventHandlers } from './events/add-event-handlers.ts';
import { extenderName } from './framework/fit-error.ts';
import type { PluginDefinition } from './framework/handle.ts';
import { PodsInPreBind } from './framework/pods-in-pre-bind.ts';
import { Framework } from './framework/runtime.ts';
import { SharedParts } from './framework/shared-parts.ts';
import { HeldPods } from './framework/waiting-pod.ts';
import { inTreePlugins } from './plugins/index.ts';
import { PodNominator } from './queue/pod-nominator.ts';
import { hintsForEverything, QueueingHints, registeredHints } from './queue/queueing-hints.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import type { SchedulerOptions } from './scheduler.ts';
import { BindingCycle } from './scheduling/binding-cycle.ts';
import { BoundedTasks } from './scheduling/bounded-tasks.ts';
import { newExtenders } from './scheduling/extenders.ts';
import { FailureHandler } from './scheduling/failure-handler.ts';
import { NodeFinder } from './scheduling/node-finder.ts';
import type { SchedulingContext } from './scheduling/scheduling-context.ts';
import { SchedulingCycle } from './scheduling/scheduling-cycle.ts';
import { SchedulingLoop } from './scheduling/scheduling-loop.ts';
import { SchedulingMetrics } from './scheduling/scheduling-metrics.ts';

/** Limit on concurrent bindings, status updates and evictions: more would only wait at the server. */
const maxWritesInFlight = 128;
/** A burst of this many pods may be scheduled faster than events are written. */
const eventQueueSize = 10_000;

/** Creates all parts of a scheduler without sending requests. Throws an Error when the configuration is invalid. */
export function assembleScheduler(options: SchedulerOptions) {
  const { rest, plugins = [], config = completeConfiguration() } = options;
  const { clock = systemClock, random = systemRandom.number, logger = silentLogger, metrics = noMetrics } = options;
  const { eventLoop = systemEventLoop } = options;
  const clients = new ClientSet(rest);
  const informers = new SharedInformerFactory(clients, {
    clock,
    random,
    logger,
    metrics,
    freeze: options.freezeCaches ?? false,
    transform: stripManagedFields,
    // Terminal pods use no resources, so they are not watched.
    tweakListOptions: ({ group, resource }) =>
      group === '' && resource === 'pods' ? { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' } : {},
  });
  const pods = informers.core.v1.pods.informer.indexer;
  const cache = new SchedulerCache();
  const nominator = new PodNominator(
    ({ metadata: { namespace = '', name = '', uid } }) => {
      const known = pods.getByKey(`${namespace}/${name}`);
      return known?.metadata.uid === uid && !known?.spec?.nodeName;
    },
    (nodeName) => cache.nominationsChanged(nodeName),
  );
  const writes = new BoundedTasks(maxWritesInFlight);
  const held = new HeldPods();
  const podsInPreBind = new PodsInPreBind();
  const extenders = newExtenders(config.extenders, clock);
  const definitions = registry(plugins);
  const shared = new SharedParts();
  const recorders: EventSeriesRecorder[] = [];
  const frameworks = new Map<string, Framework>();
  for (const profile of profilesWithIgnoredResources(config)) {
    const recorder = new EventSeriesRecorder({
      events: (namespace) => clients.events.v1.events(namespace).withoutAnswers(),
      reportingController: profile.schedulerName,
      host: options.host ?? hostname(),
      queueSize: eventQueueSize,
      clock,
      random,
      logger,
      metrics,
    });
    recorders.push(recorder);
    const framework = newFramework(profile, definitions, {
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
      shared,
      snapshot: () => cache.snapshot,
      activate: (activated) => queue.activate(activated),
      write: (task) => writes.run(task),
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
  const schedulingMetrics = new SchedulingMetrics(metrics, clock);
  const context: SchedulingContext = {
    clients,
    pods,
    cache,
    queue,
    clock,
    random,
    eventLoop,
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

function newFramework(...[profile, definitions, parts]: ConstructorParameters<typeof Framework>): Framework {
  try {
    return new Framework(profile, definitions, parts);
  } catch (cause) {
    const problem = `creating profile for scheduler name ${profile.schedulerName}: ${cause instanceof Error ? cause.message : cause}`;
    throw new Error(`initializing profiles: ${problem}`, { cause });
  }
}

function registry(plugins: readonly PluginDefinition[]): Map<string, PluginDefinition> {
  const definitions = new Map<string, PluginDefinition>();
  for (const definition of [...inTreePlugins, ...plugins]) {
    if (definitions.has(definition.name)) throw new Error(`a plugin named ${definition.name} already exists`);
    definitions.set(definition.name, definition);
  }
  return definitions;
}

/** The parts of a running scheduler. */
export type SchedulerParts = ReturnType<typeof assembleScheduler>;
