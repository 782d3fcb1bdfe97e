import type { Pod } from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { FakeClock, type Metrics, noMetrics } from '@coxswain/client';
import { Action, type ClusterEvent, type ClusterEventWithHint } from '../framework/cluster-event.ts';
import type { Plugin, QueuedPod } from '../framework/plugin.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { Status } from '../framework/status.ts';
import { PodNominator } from './pod-nominator.ts';
import type { QueuedPodInfo } from './queued-pod-info.ts';
import { QueueingHints, registeredHints } from './queueing-hints.ts';
import { SchedulingQueue, type SchedulingQueueOptions } from './scheduling-queue.ts';

export const profile = 'default-scheduler';

export interface PodOptions {
  readonly priority?: number;
  readonly gates?: readonly string[];
  readonly labels?: Record<string, string>;
  readonly uid?: string;
  readonly nominated?: string;
  readonly node?: string;
  readonly resourceVersion?: string;
  readonly schedulerName?: string;
}

export const newPod = (name: string, options: PodOptions = {}): Pod => ({
  metadata: {
    name,
    namespace: 'x',
    uid: options.uid ?? name,
    resourceVersion: options.resourceVersion ?? '1',
    ...(options.labels && { labels: options.labels }),
  },
  spec: {
    containers: [],
    schedulerName: options.schedulerName ?? profile,
    priority: options.priority ?? 0,
    ...(options.gates && { schedulingGates: options.gates.map((gate) => ({ name: gate })) }),
    ...(options.node && { nodeName: options.node }),
  },
  status: { ...(options.nominated && { nominatedNodeName: options.nominated }) },
});

/** Sorts by priority, then by time, like the default profile. */
export const prioritySort = (a: QueuedPod, b: QueuedPod): boolean => {
  const [first, second] = [a.info.pod.spec?.priority ?? 0, b.info.pod.spec?.priority ?? 0];
  return first > second || (first === second && a.timestamp < b.timestamp);
};

/** Gates pods that have a scheduling gate. */
export const gates: Plugin = {
  name: 'SchedulingGates',
  preEnqueue: ({ spec }) => (spec?.schedulingGates?.length ? Status.unresolvable('waiting') : undefined),
  eventsToRegister: () => [{ event: { resource: 'Pod', action: Action.UpdatePodSchedulingGatesEliminated } }],
};

export const filter = (name: string, ...events: ClusterEventWithHint[]): Plugin => ({
  name,
  filter: () => undefined,
  eventsToRegister: () => events,
});

export const nodeAdded: ClusterEvent = { resource: 'Node', action: Action.Add };
export const nodeLabelled: ClusterEvent = { resource: 'Node', action: Action.UpdateNodeLabel };

/** Hint: queue pods when a node has the label `good`. */
export const affinity: Plugin = filter('Affinity', {
  event: { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel },
  hint: (_, __, node) => (node?.metadata?.labels?.good ? 'Queue' : 'Skip'),
});

export interface TestQueue {
  readonly queue: SchedulingQueue;
  readonly clock: FakeClock;
  readonly nominator: PodNominator;
  readonly errors: readonly string[];
}

export function newQueue(
  plugins: readonly Plugin[] = [gates, affinity],
  options: Partial<SchedulingQueueOptions> = {},
  metrics?: Metrics,
): TestQueue {
  const clock = new FakeClock(1_000_000_000);
  const nominator = new PodNominator(() => true);
  const { logger, lines: errors } = recordLogs();
  const queue = new SchedulingQueue({
    less: prioritySort,
    preEnqueue: new Map([[profile, plugins.filter((plugin) => plugin.preEnqueue)]]),
    hints: new QueueingHints(new Map([[profile, registeredHints(plugins)]])),
    nominator,
    clock,
    logger,
    metrics: metrics ?? noMetrics,
    ...options,
  });
  return { queue, clock, nominator, errors };
}

/** Returns a popped pod to the queue as rejected by these plug-ins. */
export function reject(
  queue: SchedulingQueue,
  pod: QueuedPodInfo,
  by: readonly string[],
  pending: string[] = [],
): boolean {
  const rejection = { unschedulablePlugins: new Set(by), pendingPlugins: new Set(pending) };
  return queue.addUnschedulableIfNotPresent(pod, { info: new PodInfo(pod.info.pod), ...rejection });
}

/** Adds a pod, pops it, and returns it as rejected. No other pod may be ready to be popped. */
export function addRejected(
  queue: SchedulingQueue,
  pod: Pod,
  by: readonly string[],
  pending: string[] = [],
): QueuedPodInfo {
  queue.add(pod);
  const popped = queue.tryPop();
  if (popped?.info.pod !== pod) throw new Error('another pod came first');
  reject(queue, popped, by, pending);
  return popped;
}

/** The names of the pods in each queue. */
export function places(queue: SchedulingQueue): Record<'active' | 'backoff' | 'unschedulable', string[]> & {
  inFlight: number;
} {
  const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name ?? '').sort();
  const { active, backoff, unschedulable, inFlight } = queue.contents;
  return { active: names(active), backoff: names(backoff), unschedulable: names(unschedulable), inFlight };
}
