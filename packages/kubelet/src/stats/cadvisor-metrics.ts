import type { MetricDescriptor, PodSandboxMetrics, RuntimeService } from '@coxswain/cri';
import { hasRpcCode } from '@coxswain/grpc';
import type { MachineHardware } from './machine-figures.ts';
import type { PodFigures, StatsProvider } from './stats-provider.ts';
import type { ContainerStats, InterfaceStats, NodeStats } from './summary.ts';
import { type TimedFamily, type TimedSample, timedText } from './timed-text.ts';

const timeoutMs = 120_000;

/**
 * The metrics of `/metrics/cadvisor`. They are the runtime's own if it has such.
 *
 * Differs from upstream: other runtimes' are computed from the figures of the summary, which are a part of what cAdvisor reads from cgroups.
 * `id` is the container's, not its cgroup.
 */
export class CadvisorMetrics {
  readonly #runtime: RuntimeService;
  readonly #stats: StatsProvider;
  /** Undefined before the first request, and if the runtime has no metrics of its own. */
  #descriptors: ReadonlyMap<string, MetricDescriptor> | undefined;
  #hasOwn = true;

  constructor(runtime: RuntimeService, stats: StatsProvider) {
    this.#runtime = runtime;
    this.#stats = stats;
  }

  /** Rejects if the runtime does not answer. */
  async text(signal?: AbortSignal): Promise<string> {
    const hardware = await this.#stats.machine?.figures.hardware();
    const own = await this.#ofRuntime(signal);
    const families = own ?? (await this.#computed(signal));
    return timedText([...families, ...(hardware ? machineFamilies(hardware) : [])]);
  }

  async #ofRuntime(signal?: AbortSignal): Promise<TimedFamily[] | undefined> {
    if (!this.#hasOwn) return undefined;
    const options = { signal, timeoutMs };
    try {
      if (!this.#descriptors) {
        const { descriptors } = await this.#runtime.listMetricDescriptors({}, options);
        this.#descriptors = new Map(descriptors.map((descriptor) => [descriptor.name, descriptor]));
      }
      const { podMetrics } = await this.#runtime.listPodSandboxMetrics({}, options);
      return familiesOf(podMetrics, this.#descriptors);
    } catch (error) {
      if (!hasRpcCode(error, 'Unimplemented')) throw error;
      this.#hasOwn = false;
      return undefined;
    }
  }

  async #computed(signal?: AbortSignal): Promise<TimedFamily[]> {
    const { pods, node } = await this.#stats.collect('all', signal);
    return computedFamilies(pods, node);
  }
}

function familiesOf(
  pods: readonly PodSandboxMetrics[],
  descriptors: ReadonlyMap<string, MetricDescriptor>,
): TimedFamily[] {
  const families = new Map<string, TimedFamily & { readonly samples: TimedSample[] }>();
  const metrics = pods.flatMap(({ metrics, containerMetrics }) => [
    ...metrics,
    ...containerMetrics.flatMap((container) => container.metrics),
  ]);
  for (const { name, metricType, labelValues, timestamp, value } of metrics) {
    const descriptor = descriptors.get(name);
    if (!descriptor || descriptor.labelKeys.length !== labelValues.length) continue;
    const { help, labelKeys } = descriptor;
    const type = metricType === 'COUNTER' ? 'counter' : 'gauge';
    const family = families.get(name) ?? { name, type, help, samples: [] };
    families.set(name, family);
    family.samples.push({
      labels: Object.fromEntries(labelKeys.map((key, index) => [key, labelValues[index] ?? ''])),
      value: value?.value ?? 0,
      // 0 stands for a value that was measured for this request.
      ...(timestamp !== 0n && { timeMs: Number(timestamp / 1_000_000n) }),
    });
  }
  return [...families.values()];
}

type Used = Partial<Pick<ContainerStats, 'cpu' | 'memory' | 'swap' | 'rootfs' | 'startTime'>>;
type Labeled<T> = readonly [labels: TimedSample['labels'], thing: T];

function computedFamilies(pods: readonly PodFigures[], node: NodeStats): TimedFamily[] {
  const containers: Labeled<Used>[] = pods.flatMap(({ stats: { podRef }, containers }) =>
    containers.map(
      ({ id, image, stats }): Labeled<Used> => [
        { id: `/${id}`, name: id, image, namespace: podRef.namespace, pod: podRef.name, container: stats.name },
        stats,
      ],
    ),
  );
  const root = { id: '/', name: '', image: '', namespace: '', pod: '', container: '' };
  const all: Labeled<Used>[] = [[root, node], ...containers];
  const interfaces: Labeled<InterfaceStats>[] = pods.flatMap(({ sandboxId, stats: { podRef, network } }) =>
    (network?.interfaces.length ? network.interfaces : network?.name ? [network] : []).map(
      (each): Labeled<InterfaceStats> => [
        {
          ...root,
          id: `/${sandboxId}`,
          name: sandboxId,
          namespace: podRef.namespace,
          pod: podRef.name,
          interface: each.name,
        },
        each,
      ],
    ),
  );
  const memory = (name: string, help: string, of: (memory: NonNullable<Used['memory']>) => number | undefined) =>
    family(name, 'gauge', help, all, ({ memory }) => memory && [of(memory), memory.time]);
  const traffic = (name: string, help: string, of: (each: InterfaceStats) => number | undefined) =>
    family(`container_network_${name}_total`, 'counter', `Cumulative count of ${help}`, interfaces, (each) => [
      of(each),
    ]);
  return [
    family(
      'container_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed in seconds.',
      all.map(([labels, thing]): Labeled<Used> => [{ ...labels, cpu: 'total' }, thing]),
      ({ cpu }) => (cpu?.usageCoreNanoSeconds === undefined ? undefined : [cpu.usageCoreNanoSeconds / 1e9, cpu.time]),
    ),
    memory('container_memory_working_set_bytes', 'Current working set in bytes.', (each) => each.workingSetBytes),
    memory('container_memory_usage_bytes', 'Current memory usage in bytes.', (each) => each.usageBytes),
    memory('container_memory_rss', 'Size of RSS in bytes.', (each) => each.rssBytes),
    family(
      'container_memory_swap',
      'gauge',
      'Container swap usage in bytes.',
      all,
      ({ swap }) => swap && [swap.swapUsageBytes, swap.time],
    ),
    family(
      'container_fs_usage_bytes',
      'gauge',
      'Number of bytes that are consumed by the container on this filesystem.',
      containers,
      ({ rootfs }) => rootfs && [rootfs.usedBytes, rootfs.time],
    ),
    family(
      'container_fs_limit_bytes',
      'gauge',
      'Number of bytes that can be consumed by the container on this filesystem.',
      containers,
      ({ rootfs }) => rootfs && [rootfs.capacityBytes, rootfs.time],
    ),
    family(
      'container_start_time_seconds',
      'gauge',
      'Start time of the container since unix epoch in seconds.',
      containers,
      ({ startTime }) => (startTime ? [Date.parse(startTime) / 1000] : undefined),
    ),
    traffic('receive_bytes', 'bytes received', ({ rxBytes }) => rxBytes),
    traffic('receive_errors', 'errors encountered while receiving', ({ rxErrors }) => rxErrors),
    traffic('transmit_bytes', 'bytes transmitted', ({ txBytes }) => txBytes),
    traffic('transmit_errors', 'errors encountered while transmitting', ({ txErrors }) => txErrors),
  ];
}

function family<T>(
  name: string,
  type: TimedFamily['type'],
  help: string,
  all: readonly Labeled<T>[],
  measure: (thing: T) => readonly [value: number | undefined, time?: string] | undefined,
): TimedFamily {
  const samples = all.flatMap(([labels, thing]) => {
    const [value, time] = measure(thing) ?? [];
    return value === undefined ? [] : [{ labels, value, ...(time && { timeMs: Date.parse(time) }) }];
  });
  return { name, type, help, samples };
}

function machineFamilies({ cpus, memoryBytes, swapBytes, ...identity }: MachineHardware): TimedFamily[] {
  const labels = { boot_id: identity.bootId, machine_id: identity.machineId, system_uuid: identity.systemUuid };
  const gauge = (name: string, help: string, value: number): TimedFamily => ({
    name,
    type: 'gauge',
    help,
    samples: [{ labels, value }],
  });
  return [
    gauge('machine_cpu_cores', 'Number of logical CPU cores.', cpus),
    gauge('machine_memory_bytes', 'Amount of memory installed on the machine.', memoryBytes),
    gauge('machine_swap_bytes', 'Amount of swap memory available on the machine.', swapBytes),
  ];
}
