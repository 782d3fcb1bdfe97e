import type { KubeletHost } from './kubelet-host.ts';
import { podUsages, sumOf } from './pod-usage.ts';

/** What metrics-server scrapes, as Prometheus reads it. */
export async function resourceMetrics(host: KubeletHost): Promise<string> {
  const pods = await podUsages(host);
  const node = sumOf(pods);
  const ofPods = pods.map(({ pod: { metadata }, ...usage }) => ({
    labels: `pod="${metadata.name}",namespace="${metadata.namespace}"`,
    usage,
  }));
  const ofContainers = ofPods.flatMap(({ labels, usage }) =>
    usage.containers.map((container) => ({ labels: `container="${container.name}",${labels}`, usage: container })),
  );
  const seconds = (nanoSeconds: number): number => nanoSeconds / 1e9;
  const families: [string, string, string, readonly [string, number][]][] = [
    [
      'container_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed by the container in core-seconds',
      ofContainers.map(({ labels, usage }) => [labels, seconds(usage.cpuCoreNanoSeconds)]),
    ],
    [
      'container_memory_working_set_bytes',
      'gauge',
      'Current working set of the container in bytes',
      ofContainers.map(({ labels, usage }) => [labels, usage.memoryBytes]),
    ],
    [
      'container_start_time_seconds',
      'gauge',
      'Start time of the container since unix epoch in seconds',
      ofContainers.map(({ labels, usage }) => [labels, usage.startedAtMs / 1000]),
    ],
    [
      'node_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed by the node in core-seconds',
      [['', seconds(node.cpuCoreNanoSeconds)]],
    ],
    ['node_memory_working_set_bytes', 'gauge', 'Current working set of the node in bytes', [['', node.memoryBytes]]],
    [
      'pod_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed by the pod in core-seconds',
      ofPods.map(({ labels, usage }) => [labels, seconds(usage.cpuCoreNanoSeconds)]),
    ],
    [
      'pod_memory_working_set_bytes',
      'gauge',
      'Current working set of the pod in bytes',
      ofPods.map(({ labels, usage }) => [labels, usage.memoryBytes]),
    ],
    [
      'resource_scrape_error',
      'gauge',
      '1 if there was an error while getting container metrics, 0 otherwise',
      [['', 0]],
    ],
  ];
  return families
    .filter(([, , , samples]) => samples.length > 0)
    .map(([name, type, help, samples]) =>
      [
        `# HELP ${name} [STABLE] ${help}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(([labels, value]) => `${name}${labels && `{${labels}}`} ${value}`),
        '',
      ].join('\n'),
    )
    .join('');
}
