import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '@coxswain/apimachinery/clock';
import { hasCode } from '../files/index.ts';
import { hugePages } from '../machine/huge-pages.ts';
import { readKeys, readNumber, readText, unlessMissing, writeCgroupFile } from './cgroup-files.ts';
import type { CgroupLimits, CgroupManager, CgroupResources, CgroupStats } from './cgroup-manager.ts';
import { type CgroupDriver, type CgroupName, nameOfCgroup, pathOfCgroup } from './cgroup-name.ts';
import { checkCgroupPath } from './cgroup-path.ts';
import { childrenIn, killTree, processesIn, removeTree } from './cgroup-tree.ts';
import { writeHugePageLimits } from './huge-page-limits.ts';

/** Controllers that a cgroup of the kubelet must have, if the machine has them. */
const needed = new Set(['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'hugetlb', 'name=systemd']);

/** From this on a memory limit is none: the kernel rounds the largest number down to pages. */
const noLimit = 2 ** 62;

export interface CgroupV1Options {
  /** Controller → where it is mounted. Several may be mounted together. */
  readonly mountPoints: ReadonlyMap<string, string>;
  readonly driver: CgroupDriver;
  readonly clock: Clock;
  readonly sysRoot: string;
}

/** Cgroup v1: a hierarchy for each controller, and a directory in each of them for each cgroup. */
export class CgroupV1Manager implements CgroupManager {
  readonly version = 1;
  readonly driver: CgroupDriver;
  readonly #mountPoints: ReadonlyMap<string, string>;
  readonly #clock: Clock;
  readonly #sysRoot: string;

  constructor({ mountPoints, driver, clock, sysRoot }: CgroupV1Options) {
    this.driver = driver;
    this.#mountPoints = mountPoints;
    this.#clock = clock;
    this.#sysRoot = sysRoot;
  }

  path(name: CgroupName): string {
    return pathOfCgroup(name, this.driver);
  }

  name(path: string): CgroupName {
    return nameOfCgroup(path, this.driver);
  }

  async exists(name: CgroupName): Promise<boolean> {
    const path = this.path(name);
    for (const [controller, mountPoint] of this.#mountPoints) {
      if (!needed.has(controller)) continue;
      if ((await unlessMissing(readText(join(mountPoint, path, 'cgroup.procs')))) === undefined) return false;
    }
    return true;
  }

  async create(name: CgroupName, resources: CgroupResources): Promise<void> {
    const path = this.path(name);
    for (const directory of this.#directories(path)) await mkdir(directory, { recursive: true, mode: 0o755 });
    const cpuset = this.#mountPoints.get('cpuset');
    if (cpuset !== undefined) await inheritCpuset(cpuset, path);
    await this.update(name, resources);
  }

  async update(name: CgroupName, resources: CgroupResources): Promise<void> {
    const path = this.path(name);
    const within = (controller: string): string => this.#directory(controller, path);
    const { cpuset, cpuShares, memory, pids, hugePages: limits = new Map() } = resources;
    if (cpuset) await writeCgroupFile(join(within('cpuset'), 'cpuset.cpus'), cpuset);
    if (memory) await writeMemory(within('memory'), memory);
    if (cpuShares) await writeCgroupFile(join(within('cpu'), 'cpu.shares'), String(cpuShares));
    await writeQuota(resources, () => within('cpu'));
    if (pids !== undefined) await writeCgroupFile(join(within('pids'), 'pids.max'), pidsLimit(pids));
    if (this.#mountPoints.has('hugetlb')) {
      await writeHugePageLimits(within('hugetlb'), '.limit_in_bytes', limits, await hugePages(this.#sysRoot));
    }
  }

  async destroy(name: CgroupName, signal?: AbortSignal): Promise<void> {
    const path = this.path(name);
    if (path === '/') throw new Error('the root cgroup cannot be removed');
    const directories = this.#directories(path);
    const pids = this.#mountPoints.get('pids');
    // Without new processes none can be started faster than they are killed.
    if (pids !== undefined) await unlessMissing(writeCgroupFile(join(pids, path, 'pids.max'), '0'));
    await killTree(directories, this.#clock, signal);
    const errors: unknown[] = [];
    for (const directory of directories) {
      await removeTree(directory, this.#clock, signal).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }

  async pids(name: CgroupName): Promise<number[]> {
    const pids = new Set<number>();
    for (const directory of this.#directories(this.path(name))) {
      for (const pid of await processesIn(directory)) pids.add(pid);
    }
    return [...pids].sort((a, b) => a - b);
  }

  async children(name: CgroupName): Promise<CgroupName[]> {
    const path = this.path(name);
    const names = new Set<string>();
    for (const directory of this.#directories(path)) for (const child of await childrenIn(directory)) names.add(child);
    return Array.from(names, (child) => this.name(join(path, child)));
  }

  async resources(name: CgroupName): Promise<CgroupLimits> {
    const path = this.path(name);
    const cpu = this.#directory('cpu', path);
    const memory = await readNumber(join(this.#directory('memory', path), 'memory.limit_in_bytes'));
    return {
      cpuShares: await readNumber(join(cpu, 'cpu.shares')),
      cpuQuota: await readNumber(join(cpu, 'cpu.cfs_quota_us')),
      cpuPeriod: await readNumber(join(cpu, 'cpu.cfs_period_us')),
      memory: memory >= noLimit ? undefined : memory,
    };
  }

  async stats(path: string): Promise<CgroupStats> {
    checkCgroupPath(path);
    const memory = this.#directory('memory', path);
    const pids = this.#mountPoints.get('pids');
    const [usage, usageBytes, stat, limit, oom, processes] = await Promise.all([
      readText(join(this.#directory('cpuacct', path), 'cpuacct.usage')),
      readNumber(join(memory, 'memory.usage_in_bytes')),
      readKeys(join(memory, 'memory.stat')),
      readNumber(join(memory, 'memory.limit_in_bytes')),
      unlessMissing(readKeys(join(memory, 'memory.oom_control'))),
      pids === undefined ? undefined : unlessMissing(readNumber(join(pids, path, 'pids.current'))),
    ]);
    return {
      cpu: { usageNanoseconds: BigInt(usage) },
      memory: {
        usageBytes,
        workingSetBytes: Math.max(0, usageBytes - (stat.get('total_inactive_file') ?? 0)),
        rssBytes: stat.get('total_rss') ?? 0,
        pageFaults: stat.get('total_pgfault') ?? 0,
        majorPageFaults: stat.get('total_pgmajfault') ?? 0,
        limitBytes: limit >= noLimit ? undefined : limit,
        oomKills: oom?.get('oom_kill'),
      },
      processes,
    };
  }

  #directory(controller: string, path: string): string {
    const mountPoint = this.#mountPoints.get(controller);
    if (mountPoint === undefined) throw new Error(`no cgroup v1 mountpoint for ${controller} controller found`);
    return join(mountPoint, path);
  }

  #directories(path: string): string[] {
    return Array.from(new Set(this.#mountPoints.values()), (mountPoint) => join(mountPoint, path));
  }
}

/** A new cpuset has no CPUs and no memory nodes, and no process can be added to it: it gets those of its parent. */
async function inheritCpuset(mountPoint: string, path: string): Promise<void> {
  if (path === '/') return;
  const parent = dirname(path);
  await inheritCpuset(mountPoint, parent);
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    if ((await readText(join(mountPoint, path, file))) !== '') continue;
    await writeCgroupFile(join(mountPoint, path, file), await readText(join(mountPoint, parent, file)));
  }
}

async function writeMemory(directory: string, bytes: number): Promise<void> {
  // The limit of memory and swap together cannot be below that of memory.
  if (bytes === -1) await unlessMissing(writeCgroupFile(join(directory, 'memory.memsw.limit_in_bytes'), '-1'));
  try {
    await writeCgroupFile(join(directory, 'memory.limit_in_bytes'), String(bytes));
  } catch (cause) {
    if (!hasCode(cause, 'EBUSY')) throw cause;
    const usage = await readNumber(join(directory, 'memory.usage_in_bytes'));
    const peak = await readNumber(join(directory, 'memory.max_usage_in_bytes'));
    const message = `unable to set memory limit to ${bytes} (current usage: ${usage}, peak usage: ${peak})`;
    throw new Error(message, { cause });
  }
}

/**
 * Sets quota and period. The kernel refuses a period with which the present quota would exceed the parent's; then the new quota must be
 * set first.
 */
async function writeQuota({ cpuQuota, cpuPeriod }: CgroupResources, directory: () => string): Promise<void> {
  const writePeriod = async (): Promise<void> =>
    writeCgroupFile(join(directory(), 'cpu.cfs_period_us'), String(cpuPeriod));
  let isPeriodLate = false;
  if (cpuPeriod) {
    await writePeriod().catch((error: unknown) => {
      if (!hasCode(error, 'EINVAL') || !cpuQuota) throw error;
      isPeriodLate = true;
    });
  }
  if (cpuQuota) await writeCgroupFile(join(directory(), 'cpu.cfs_quota_us'), String(cpuQuota));
  if (isPeriodLate) await writePeriod();
}

/** systemd takes no limit of 0, so that both drivers write 1 for it. */
export const pidsLimit = (pids: number): string => (pids < 0 ? 'max' : String(Math.max(pids, 1)));
