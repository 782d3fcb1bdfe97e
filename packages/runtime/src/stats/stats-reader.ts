import type { ContainerStats, PodSandboxStats } from '@coxswain/cri';
import type { CgroupStats } from '@coxswain/linux';
import type { WritableLayerUsage } from '../images/root-file-systems.ts';
import { containerCgroup, nowOf, type RuntimeContext } from '../lifecycle/index.ts';
import type { Container, Sandbox } from '../model/index.ts';
import { interfacesOf } from './network-usage.ts';

/** How long the size of a container's changes is good: to find it out, all of its files are counted. */
const usageMaxAgeMs = 10_000;

interface CpuSample {
  readonly at: bigint;
  readonly usage: bigint;
  readonly nanoCores: bigint | undefined;
}

interface UsageSample {
  readonly atMs: number;
  readonly at: bigint;
  readonly usage: Promise<WritableLayerUsage | undefined>;
}

/** Reads what containers and pods use. It remembers one reading of each, for rates. */
export class StatsReader {
  readonly #context: RuntimeContext;
  readonly #cpu = new Map<string, CpuSample>();
  readonly #usage = new Map<string, UsageSample>();

  constructor(context: RuntimeContext) {
    this.#context = context;
  }

  async container(container: Container): Promise<ContainerStats> {
    return (await this.containerAndCgroup(container)).stats;
  }

  /** Undefined in place of the cgroup's stats if the container does not run. */
  async containerAndCgroup(
    container: Container,
  ): Promise<{ readonly stats: ContainerStats; readonly cgroup: CgroupStats | undefined }> {
    const { id, config, metadata, description } = container;
    const { labels, annotations } = config;
    const attributes = { id, metadata, labels, annotations };
    const timestamp = nowOf(this.#context.clock);
    const [cgroup, writableLayer] = await Promise.all([this.#cgroupOf(container), this.#writableLayer(id)]);
    if (!cgroup) return { stats: { attributes, ...(writableLayer && { writableLayer }) }, cgroup };
    const limit = container.resources?.memoryLimitInBytes ?? 0;
    const stats = {
      attributes,
      ...this.#usages(description.id, cgroup, timestamp, limit),
      ...(writableLayer && { writableLayer }),
    };
    return { stats, cgroup };
  }

  async sandbox(sandbox: Sandbox): Promise<PodSandboxStats> {
    const { id, metadata, config, cgroupParent } = sandbox;
    const { cgroups, clock } = this.#context;
    const timestamp = nowOf(clock);
    const containers = [...this.#context.containers.values()].filter(({ description }) => description.sandboxId === id);
    const running = containers.filter(({ isRunning }) => isRunning);
    const pod = cgroupParent === '' ? undefined : await cgroups.stats(parentPath(sandbox)).catch(() => undefined);
    const readings = await Promise.all(running.map((container) => this.containerAndCgroup(container)));
    const processes = pod?.processes ?? readings.reduce((sum, { cgroup }) => sum + (cgroup?.processes ?? 0), 0);
    const pid =
      sandbox.namespaces.network === 'POD' ? (running[0]?.state.process?.pid ?? sandbox.state.init?.pid) : undefined;
    const interfaces = pid === undefined ? [] : await interfacesOf(pid);
    const defaultInterface = interfaces.find(({ name }) => name === 'eth0') ?? interfaces[0];
    return {
      attributes: { id, metadata, labels: config.labels, annotations: config.annotations },
      linux: {
        ...(pod && this.#usages(id, pod, timestamp, pod.memory.limitBytes ?? 0)),
        ...(defaultInterface && {
          network: { timestamp, defaultInterface, interfaces: interfaces.filter((each) => each !== defaultInterface) },
        }),
        process: { timestamp, processCount: { value: processes } },
        containers: readings.map(({ stats }) => stats),
      },
    };
  }

  /** Drops what is remembered of a sandbox or container. */
  forget(id: string): void {
    this.#cpu.delete(id);
    this.#usage.delete(id);
  }

  async #cgroupOf(container: Container): Promise<CgroupStats | undefined> {
    if (!container.isRunning) return undefined;
    const parent = this.#context.sandboxes.find(container.description.sandboxId)?.cgroupParent ?? '';
    return await this.#context.cgroups
      .stats(containerCgroup(this.#context, parent, container.id))
      .catch(() => undefined);
  }

  #usages(
    id: string,
    { cpu, memory }: CgroupStats,
    timestamp: bigint,
    limit: number,
  ): Pick<ContainerStats, 'cpu' | 'memory'> {
    const nanoCores = this.#rate(id, timestamp, cpu.usageNanoseconds);
    return {
      cpu: {
        timestamp,
        usageCoreNanoSeconds: { value: Number(cpu.usageNanoseconds) },
        ...(nanoCores !== undefined && { usageNanoCores: { value: Number(nanoCores) } }),
      },
      memory: {
        timestamp,
        workingSetBytes: { value: memory.workingSetBytes },
        usageBytes: { value: memory.usageBytes },
        rssBytes: { value: memory.rssBytes },
        pageFaults: { value: memory.pageFaults },
        majorPageFaults: { value: memory.majorPageFaults },
        ...(limit > 0 && { availableBytes: { value: Math.max(limit - memory.workingSetBytes, 0) } }),
      },
    };
  }

  /** CPU time per second since the last reading. Readings within the same second share one. */
  #rate(id: string, at: bigint, usage: bigint): bigint | undefined {
    const before = this.#cpu.get(id);
    const elapsed = before ? at - before.at : 0n;
    if (before && elapsed < 1_000_000_000n) return before.nanoCores;
    const nanoCores = before && usage >= before.usage ? ((usage - before.usage) * 1_000_000_000n) / elapsed : undefined;
    this.#cpu.set(id, { at, usage, nanoCores });
    return nanoCores;
  }

  async #writableLayer(id: string): Promise<ContainerStats['writableLayer']> {
    const { clock, rootFileSystems, paths } = this.#context;
    const nowMs = clock.monotonic();
    let sample = this.#usage.get(id);
    if (!sample || nowMs - sample.atMs > usageMaxAgeMs) {
      const usage = rootFileSystems.usage(id).catch(() => undefined);
      sample = { atMs: nowMs, at: nowOf(clock), usage };
      this.#usage.set(id, sample);
    }
    const usage = await sample.usage;
    if (!usage) return undefined;
    const { usedBytes, inodesUsed } = usage;
    return {
      timestamp: sample.at,
      fsId: { mountpoint: paths.root },
      usedBytes: { value: usedBytes },
      inodesUsed: { value: inodesUsed },
    };
  }
}

const parentPath = ({ cgroupParent }: Sandbox): string =>
  cgroupParent.startsWith('/') ? cgroupParent : `/${cgroupParent}`;
