import type { ContainerMetrics, Metric, MetricDescriptor, MetricType, PodSandboxMetrics } from '@coxswain/cri';
import type { CgroupStats } from '@coxswain/linux';
import { nowOf, type RuntimeContext } from '../lifecycle/index.ts';
import type { Container, Sandbox } from '../model/index.ts';
import type { StatsReader } from './stats-reader.ts';

interface ContainerMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** Undefined if this machine does not count it. */
  read(cgroup: CgroupStats, container: Container): number | undefined;
}

/** By the names of cAdvisor, which people know. */
const containerMetrics: readonly ContainerMetric[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    help: 'Cumulative cpu time consumed in seconds.',
    type: 'COUNTER',
    read: ({ cpu }) => Number(cpu.usageNanoseconds / 1_000_000_000n),
  },
  {
    name: 'container_memory_usage_bytes',
    help: 'Current memory usage in bytes.',
    type: 'GAUGE',
    read: ({ memory }) => memory.usageBytes,
  },
  {
    name: 'container_memory_working_set_bytes',
    help: 'Current working set in bytes.',
    type: 'GAUGE',
    read: ({ memory }) => memory.workingSetBytes,
  },
  { name: 'container_memory_rss', help: 'Size of RSS in bytes.', type: 'GAUGE', read: ({ memory }) => memory.rssBytes },
  {
    name: 'container_oom_events_total',
    help: 'Count of out of memory events.',
    type: 'COUNTER',
    read: ({ memory }) => memory.oomKills,
  },
  {
    name: 'container_processes',
    help: 'Number of processes in the container.',
    type: 'GAUGE',
    read: ({ processes }) => processes,
  },
  {
    name: 'container_spec_memory_limit_bytes',
    help: 'Memory limit for the container.',
    type: 'GAUGE',
    read: (_, { resources }) => resources?.memoryLimitInBytes ?? 0,
  },
  {
    name: 'container_start_time_seconds',
    help: 'Start time of the container since unix epoch in seconds.',
    type: 'GAUGE',
    read: (_, { state }) => Number(state.startedAt / 1_000_000_000n),
  },
];

const interfaceMetrics = [
  ['container_network_receive_bytes_total', 'Cumulative count of bytes received', 'rxBytes'],
  ['container_network_receive_errors_total', 'Cumulative count of errors encountered while receiving', 'rxErrors'],
  ['container_network_transmit_bytes_total', 'Cumulative count of bytes transmitted', 'txBytes'],
  ['container_network_transmit_errors_total', 'Cumulative count of errors encountered while transmitting', 'txErrors'],
] as const;

const labelKeys = ['id', 'name', 'image', 'container', 'pod', 'namespace'];
const interfaceLabelKeys = [...labelKeys, 'interface'];

export const metricDescriptors = (): MetricDescriptor[] => [
  ...containerMetrics.map(({ name, help }) => ({ name, help, labelKeys })),
  ...interfaceMetrics.map(([name, help]) => ({ name, help, labelKeys: interfaceLabelKeys })),
];

/** All metrics of a pod and its containers that run. */
export async function podMetrics(
  context: RuntimeContext,
  stats: StatsReader,
  sandbox: Sandbox,
): Promise<PodSandboxMetrics> {
  const { id, metadata } = sandbox;
  const timestamp = nowOf(context.clock);
  const running = [...context.containers.values()].filter(
    ({ description, isRunning }) => isRunning && description.sandboxId === id,
  );
  const ofContainers = await Promise.all(
    running.map(async (container): Promise<ContainerMetrics> => {
      const { cgroup } = await stats.containerAndCgroup(container);
      const image = container.config.image?.userSpecifiedImage || (container.config.image?.image ?? '');
      const labelValues = [
        container.id,
        container.description.name,
        image,
        container.metadata.name,
        metadata.name,
        metadata.namespace,
      ];
      return { containerId: container.id, metrics: cgroup ? metricsOf(cgroup, container, labelValues, timestamp) : [] };
    }),
  );
  const { linux } = await stats.sandbox(sandbox);
  const { network } = linux ?? {};
  const labels = [id, sandbox.name, '', 'POD', metadata.name, metadata.namespace];
  const interfaces = network
    ? [...(network.defaultInterface ? [network.defaultInterface] : []), ...network.interfaces]
    : [];
  const metrics = interfaces.flatMap((each) =>
    interfaceMetrics.map(
      ([name, , counter]): Metric => ({
        name,
        timestamp,
        metricType: 'COUNTER',
        labelValues: [...labels, each.name],
        value: each[counter],
      }),
    ),
  );
  return { podSandboxId: id, metrics, containerMetrics: ofContainers };
}

function metricsOf(
  cgroup: CgroupStats,
  container: Container,
  labelValues: readonly string[],
  timestamp: bigint,
): Metric[] {
  return containerMetrics.flatMap(({ name, type, read }) => {
    const value = read(cgroup, container);
    return value === undefined ? [] : [{ name, timestamp, metricType: type, labelValues, value: { value } }];
  });
}
