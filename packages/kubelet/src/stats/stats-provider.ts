import type { Pod } from '@coxswain/api/core/v1';
import type { Clock } from '@coxswain/client';
import type {
  Container,
  ContainerStats as CriContainerStats,
  ImageService,
  LinuxPodSandboxStats,
  PodSandbox,
  RuntimeService,
} from '@coxswain/cri';
import { hasRpcCode } from '@coxswain/grpc';
import { CpuRates } from './cpu-rates.ts';
import { cpuStats, ioStats, memoryStats, networkStats, startTimeOf, swapStats } from './from-cri.ts';
import { nodeStats } from './node-stats.ts';
import type { NodeStatsSources } from './node-stats-sources.ts';
import { podStorage, rootfsStats } from './storage-stats.ts';
import { sumOfContainers } from './sum-of-containers.ts';
import type { ContainerStats, NodeStats, PodReference, PodStats, Summary } from './summary.ts';

export interface StatsProviderOptions {
  readonly nodeName: string;
  readonly runtime: { readonly service: RuntimeService; readonly images: Pick<ImageService, 'imageFsInfo'> };
  readonly clock: Clock;
  /** Undefined for a hollow node, which has the sums of its pods instead. */
  readonly machine?: NodeStatsSources | undefined;
  /** The node's pods. Without, no volume counts for ephemeral storage. */
  readonly pods?: () => readonly Pod[];
}

/** A pod's figures with what identifies its containers in the runtime. */
export interface PodFigures {
  readonly sandboxId: string;
  readonly stats: PodStats;
  readonly containers: readonly { readonly id: string; readonly image: string; readonly stats: ContainerStats }[];
}

/** What a runtime tells of one sandbox. */
interface SandboxUsage {
  readonly sandboxId: string;
  readonly linux: Omit<LinuxPodSandboxStats, 'containers'>;
  readonly containers: readonly CriContainerStats[];
}

/** Without storage it is much cheaper. */
export type Detail = 'all' | 'cpu and memory';

const timeoutMs = 120_000;

/** Collects the figures of a node and its pods, whenever they are asked for. */
export class StatsProvider {
  readonly #options: StatsProviderOptions;
  readonly #rates: CpuRates;
  /** Whether the runtime has figures of sandboxes. */
  #tellsOfSandboxes = true;

  constructor(options: StatsProviderOptions) {
    this.#options = options;
    this.#rates = new CpuRates(options.clock);
  }

  /** Rejects if the runtime does not answer. */
  async summary(detail: Detail, signal?: AbortSignal): Promise<Summary> {
    const { node, pods } = await this.collect(detail, signal);
    return { node, pods: pods.map(({ stats }) => stats) };
  }

  /** As `summary`, with what identifies containers in the runtime. */
  async collect(
    detail: Detail,
    signal?: AbortSignal,
  ): Promise<{ readonly node: NodeStats; readonly pods: readonly PodFigures[] }> {
    const { nodeName, machine, clock, runtime } = this.#options;
    const pods = await this.#pods(detail, signal);
    const stats = pods.map((pod) => pod.stats);
    const node = await nodeStats({ pods: stats, detail, clock, rates: this.#rates, images: runtime.images, machine });
    return { node: { nodeName, ...node }, pods };
  }

  /** The figures of all pods that have running containers. */
  async #pods(detail: Detail, signal?: AbortSignal): Promise<PodFigures[]> {
    const { service } = this.#options.runtime;
    const options = { signal, timeoutMs };
    const [{ items }, { containers: listed }] = await Promise.all([
      service.listPodSandbox({ filter: { state: { state: 'SANDBOX_READY' } } }, options),
      service.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } }, options),
    ]);
    const sandboxes = new Map(items.map((sandbox) => [sandbox.id, sandbox]));
    const containers = new Map(listed.map((container) => [container.id, container]));
    const usages = await this.#usages(containers, signal);
    const found = usages.flatMap((usage) => {
      const sandbox = sandboxes.get(usage.sandboxId);
      return sandbox ? [this.#podFigures(usage, sandbox, containers, detail)] : [];
    });
    return await Promise.all(found);
  }

  /** Undefined for a hollow node. */
  get machine(): NodeStatsSources | undefined {
    return this.#options.machine;
  }

  async #usages(containers: ReadonlyMap<string, Container>, signal?: AbortSignal): Promise<SandboxUsage[]> {
    const { service } = this.#options.runtime;
    const options = { signal, timeoutMs };
    if (this.#tellsOfSandboxes) {
      try {
        const { stats } = await service.listPodSandboxStats({}, options);
        return stats.map(({ attributes, linux }) => ({
          sandboxId: attributes?.id ?? '',
          linux: linux ?? {},
          containers: linux?.containers ?? [],
        }));
      } catch (error) {
        signal?.throwIfAborted();
        // Some runtimes fail for all sandboxes because of one that is going away.
        if (hasRpcCode(error, 'Unimplemented')) this.#tellsOfSandboxes = false;
      }
    }
    const { stats } = await service.listContainerStats({}, options);
    const bySandbox = new Map<string, CriContainerStats[]>();
    for (const each of stats) {
      const sandboxId = containers.get(each.attributes?.id ?? '')?.podSandboxId ?? '';
      bySandbox.set(sandboxId, [...(bySandbox.get(sandboxId) ?? []), each]);
    }
    return Array.from(bySandbox, ([sandboxId, of]) => ({ sandboxId, linux: {}, containers: of }));
  }

  async #podFigures(
    usage: SandboxUsage,
    sandbox: PodSandbox,
    known: ReadonlyMap<string, Container>,
    detail: Detail,
  ): Promise<PodFigures> {
    const { name = '', namespace = '' } = sandbox.metadata ?? {};
    const podRef = { name, namespace, uid: sandbox.metadata?.uid ?? '' };
    const containers = await Promise.all(
      usage.containers.flatMap((stats) => {
        const container = known.get(stats.attributes?.id ?? '');
        return container ? [this.#containerFigures(stats, container, podRef, detail)] : [];
      }),
    );
    const stats = containers.map((container) => container.stats);
    const { cpu, memory, network, process, io } = usage.linux;
    const machine = detail === 'all' ? this.#options.machine : undefined;
    return {
      sandboxId: usage.sandboxId,
      containers,
      stats: {
        podRef,
        startTime: startTimeOf(sandbox.createdAt),
        containers: stats,
        ...sumOfContainers(stats),
        ...(cpu && { cpu: cpuStats(cpu, this.#rate(usage.sandboxId, cpu)) }),
        ...(memory && { memory: memoryStats(memory) }),
        ...(detail === 'all' && network && { network: networkStats(network) }),
        ...(detail === 'all' && io && { io: ioStats(io) }),
        ...(detail === 'all' && process && { process_stats: { process_count: process.processCount?.value ?? 0 } }),
        ...(machine &&
          (await podStorage(machine, podRef, stats, { pod: this.#podOf(podRef.uid), clock: this.#options.clock }))),
      },
    };
  }

  async #containerFigures(
    usage: CriContainerStats,
    { id, image, createdAt, metadata }: Container,
    pod: PodReference,
    detail: Detail,
  ): Promise<PodFigures['containers'][number]> {
    const { cpu, memory, swap, io, writableLayer } = usage;
    const { machine, clock } = this.#options;
    const name = metadata?.name ?? '';
    const storage =
      detail === 'all'
        ? await rootfsStats({ machine, writableLayer, clock, logs: machine?.logDirectory(pod, name) })
        : {};
    const stats: ContainerStats = {
      name,
      startTime: startTimeOf(createdAt),
      ...(cpu && { cpu: cpuStats(cpu, this.#rate(id, cpu)) }),
      ...(memory && { memory: memoryStats(memory) }),
      ...(swap && { swap: swapStats(swap) }),
      ...(detail === 'all' && io && { io: ioStats(io) }),
      ...storage,
    };
    return { id, image: image?.userSpecifiedImage || image?.image || '', stats };
  }

  #podOf(uid: string): Pod | undefined {
    return this.#options.pods?.().find(({ metadata }) => metadata.uid === uid);
  }

  #rate(id: string, { timestamp, usageCoreNanoSeconds, usageNanoCores }: NonNullable<CriContainerStats['cpu']>) {
    if (usageNanoCores || !usageCoreNanoSeconds) return undefined;
    return this.#rates.nanoCores(id, timestamp, usageCoreNanoSeconds.value);
  }
}
