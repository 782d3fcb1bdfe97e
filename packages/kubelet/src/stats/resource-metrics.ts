import type { Logger } from '@coxswain/client';
import type { StatsProvider } from './stats-provider.ts';
import type { ContainerStats, NodeStats, PodStats, Summary } from './summary.ts';
import { type TimedFamily, type TimedSample, timedText } from './timed-text.ts';

/** The metrics of `/metrics/resource`, which metrics-server scrapes. */
export async function resourceMetrics(stats: StatsProvider, logger: Logger, signal?: AbortSignal): Promise<string> {
  try {
    const summary = await stats.summary('cpu and memory', signal);
    return timedText([...families(summary), scrapeError(0)]);
  } catch (error) {
    signal?.throwIfAborted();
    logger.error('Error getting summary for resourceMetric prometheus endpoint', error);
    return timedText([scrapeError(1)]);
  }
}

const scrapeError = (value: number): TimedFamily => ({
  name: 'resource_scrape_error',
  type: 'gauge',
  help: '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
  samples: [{ labels: {}, value }],
});

type Labels = TimedSample['labels'];
type Used = Pick<NodeStats & PodStats & ContainerStats, 'cpu' | 'memory' | 'swap'>;

/** One line for each thing of which the value is known. */
function samples<T>(
  all: readonly (readonly [Labels, T])[],
  measure: (thing: T) => { readonly value: number | undefined; readonly time?: string | undefined } | undefined,
): TimedSample[] {
  return all.flatMap(([labels, thing]) => {
    const measured = measure(thing);
    if (measured?.value === undefined) return [];
    const { value, time } = measured;
    return [{ labels, value, ...(time !== undefined && { timeMs: Date.parse(time) }) }];
  });
}

const cpuSeconds = ({ cpu }: Used) =>
  cpu?.usageCoreNanoSeconds === undefined ? undefined : { value: cpu.usageCoreNanoSeconds / 1e9, time: cpu.time };
const workingSet = ({ memory }: Used) => memory && { value: memory.workingSetBytes, time: memory.time };
const swapUsage = ({ swap }: Used) => swap && { value: swap.swapUsageBytes, time: swap.time };
const swapLimit = ({ swap }: Used) =>
  swap?.swapAvailableBytes === undefined
    ? undefined
    : { value: swap.swapAvailableBytes + (swap.swapUsageBytes ?? 0), time: swap.time };

function families({ node, pods }: Summary): TimedFamily[] {
  const ofNode = [[{}, node]] as const;
  const ofPods = pods.map((pod) => [{ pod: pod.podRef.name, namespace: pod.podRef.namespace }, pod] as const);
  const ofContainers = ofPods.flatMap(([labels, { containers }]) =>
    containers.map((container) => [{ ...labels, container: container.name }, container] as const),
  );
  return [
    counter('node_cpu_usage_seconds_total', 'Cumulative cpu time consumed by the node', samples(ofNode, cpuSeconds)),
    memory('node_memory_working_set_bytes', 'node', samples(ofNode, workingSet)),
    swap('node_swap_usage_bytes', 'Current swap usage of the node in bytes', samples(ofNode, swapUsage)),
    counter(
      'container_cpu_usage_seconds_total',
      'Cumulative cpu time consumed by the container',
      samples(ofContainers, cpuSeconds),
    ),
    memory('container_memory_working_set_bytes', 'container', samples(ofContainers, workingSet)),
    swap(
      'container_swap_usage_bytes',
      'Current amount of the container swap usage in bytes',
      samples(ofContainers, swapUsage),
    ),
    swap(
      'container_swap_limit_bytes',
      'Current amount of the container swap limit in bytes',
      samples(ofContainers, swapLimit),
    ),
    {
      name: 'container_start_time_seconds',
      type: 'gauge',
      help: '[STABLE] Start time of the container since unix epoch in seconds',
      samples: samples(ofContainers, ({ startTime }) =>
        startTime === null ? undefined : { value: Date.parse(startTime) / 1000 },
      ),
    },
    counter('pod_cpu_usage_seconds_total', 'Cumulative cpu time consumed by the pod', samples(ofPods, cpuSeconds)),
    memory('pod_memory_working_set_bytes', 'pod', samples(ofPods, workingSet)),
    swap('pod_swap_usage_bytes', 'Current amount of the pod swap usage in bytes', samples(ofPods, swapUsage)),
  ];
}

const counter = (name: string, help: string, samples: readonly TimedSample[]): TimedFamily => ({
  name,
  type: 'counter',
  help: `[STABLE] ${help} in core-seconds`,
  samples,
});

const memory = (name: string, of: string, samples: readonly TimedSample[]): TimedFamily => ({
  name,
  type: 'gauge',
  help: `[STABLE] Current working set of the ${of} in bytes`,
  samples,
});

const swap = (name: string, help: string, samples: readonly TimedSample[]): TimedFamily => ({
  name,
  type: 'gauge',
  help: `[ALPHA] ${help}. Reported only on non-windows systems`,
  samples,
});
