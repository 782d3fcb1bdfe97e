import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@coxswain/apimachinery/clock';
import { hasCode } from '../files/index.ts';
import { hugePages } from '../machine/huge-pages.ts';
import { memoryInfo } from '../machine/memory-info.ts';
import { readKeys, readNumber, readText, unlessMissing, writeCgroupFile } from './cgroup-files.ts';
import type { CgroupLimits, CgroupManager, CgroupResources, CgroupStats } from './cgroup-manager.ts';
import { type CgroupDriver, type CgroupName, nameOfCgroup, pathOfCgroup } from './cgroup-name.ts';
import { checkCgroupPath } from './cgroup-path.ts';
import { childrenIn, killTree, processesIn, removeTree } from './cgroup-tree.ts';
import { pidsLimit } from './cgroup-v1-manager.ts';
import { cpuSharesOf, cpuWeightOf } from './cpu-weight.ts';
import { writeHugePageLimits } from './huge-page-limits.ts';

/** Controllers that the kubelet uses. */
const used = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'];

const defaultPeriod = 100_000;

export interface CgroupV2Options {
  /** Where the hierarchy is mounted. */
  readonly root: string;
  readonly driver: CgroupDriver;
  readonly clock: Clock;
  readonly procRoot: string;
  readonly sysRoot: string;
}

/** Cgroup v2: one hierarchy, in which each cgroup enables controllers for those inside it. */
export class CgroupV2Manager implements CgroupManager {
  readonly version = 2;
  readonly driver: CgroupDriver;
  readonly #root: string;
  readonly #clock: Clock;
  readonly #procRoot: string;
  readonly #sysRoot: string;

  constructor({ root, driver, clock, procRoot, sysRoot }: CgroupV2Options) {
    this.driver = driver;
    this.#root = root;
    this.#clock = clock;
    this.#procRoot = procRoot;
    this.#sysRoot = sysRoot;
  }

  path(name: CgroupName): string {
    return pathOfCgroup(name, this.driver);
  }

  name(path: string): CgroupName {
    return nameOfCgroup(path, this.driver);
  }

  async exists(name: CgroupName): Promise<boolean> {
    const enabled = await unlessMissing(controllersOf(join(this.#root, this.path(name))));
    if (enabled === undefined) return false;
    const available = await controllersOf(this.#root);
    return used.every((controller) => !available.has(controller) || enabled.has(controller));
  }

  async create(name: CgroupName, resources: CgroupResources): Promise<void> {
    const controllers = [...(await controllersOf(this.#root))];
    let current = this.#root;
    for (const component of this.path(name).split('/').filter(Boolean)) {
      await enable(current, controllers);
      current = join(current, component);
      await mkdir(current, { mode: 0o755 }).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
      });
    }
    await this.update(name, resources);
  }

  async update(name: CgroupName, resources: CgroupResources): Promise<void> {
    const directory = join(this.#root, this.path(name));
    const { pids, memory, cpuShares, cpuQuota, cpuPeriod, cpuset, hugePages: limits = new Map() } = resources;
    const write = (file: string, value: string): Promise<void> => writeCgroupFile(join(directory, file), value);
    if (pids !== undefined) await write('pids.max', pidsLimit(pids));
    if (memory) {
      // Without the swap controller there is nothing to lift.
      if (memory === -1) await unlessMissing(write('memory.swap.max', 'max'));
      await write('memory.max', memory === -1 ? 'max' : String(memory));
    }
    if (cpuShares) await write('cpu.weight', String(cpuWeightOf(cpuShares)));
    if (cpuQuota || cpuPeriod) {
      const quota = cpuQuota !== undefined && cpuQuota > 0 ? cpuQuota : 'max';
      await write('cpu.max', `${quota} ${cpuPeriod || defaultPeriod}`);
    }
    if (cpuset) await write('cpuset.cpus', cpuset);
    if ((await controllersOf(directory)).has('hugetlb')) {
      await writeHugePageLimits(directory, '.max', limits, await hugePages(this.#sysRoot));
    }
    for (const [file, value] of Object.entries(resources.unified ?? {})) {
      if (file.includes('/')) throw new Error(`unified resource "${file}" must be a file name (no slashes)`);
      // The kernel takes one setting at a time.
      for (const line of value.split('\n')) await write(file, line);
    }
  }

  async destroy(name: CgroupName, signal?: AbortSignal): Promise<void> {
    const path = this.path(name);
    if (path === '/') throw new Error('the root cgroup cannot be removed');
    const directory = join(this.#root, path);
    // Since Linux 5.14 the kernel kills all at once, even those that are just being started.
    const killed = await unlessMissing(writeCgroupFile(join(directory, 'cgroup.kill'), '1').then(() => true));
    if (!killed) await killTree([directory], this.#clock, signal);
    await removeTree(directory, this.#clock, signal);
  }

  async pids(name: CgroupName): Promise<number[]> {
    return (await processesIn(join(this.#root, this.path(name)))).sort((a, b) => a - b);
  }

  async children(name: CgroupName): Promise<CgroupName[]> {
    const path = this.path(name);
    return (await childrenIn(join(this.#root, path))).map((child) => this.name(join(path, child)));
  }

  async resources(name: CgroupName): Promise<CgroupLimits> {
    const directory = join(this.#root, this.path(name));
    const max = await readText(join(directory, 'cpu.max'));
    const [quota, period] = max.split(' ');
    if (!quota || !Number.isSafeInteger(Number(period))) throw new Error(`failed to parse cpu.max: "${max}"`);
    const memory = await readNumber(join(directory, 'memory.max'));
    return {
      cpuShares: cpuSharesOf(await readNumber(join(directory, 'cpu.weight'))),
      cpuQuota: quota === 'max' ? -1 : Number(quota),
      cpuPeriod: Number(period),
      memory: Number.isFinite(memory) ? memory : undefined,
    };
  }

  async stats(path: string): Promise<CgroupStats> {
    checkCgroupPath(path);
    const directory = join(this.#root, path);
    const [cpu, memory, usage, limit, events, processes] = await Promise.all([
      readKeys(join(directory, 'cpu.stat')),
      readKeys(join(directory, 'memory.stat')),
      unlessMissing(readNumber(join(directory, 'memory.current'))),
      unlessMissing(readNumber(join(directory, 'memory.max'))),
      unlessMissing(readKeys(join(directory, 'memory.events'))),
      unlessMissing(readNumber(join(directory, 'pids.current'))),
    ]);
    const usageBytes = usage ?? (await this.#usageOfRoot());
    return {
      cpu: { usageNanoseconds: BigInt(cpu.get('usage_usec') ?? 0) * 1000n },
      memory: {
        usageBytes,
        workingSetBytes: Math.max(0, usageBytes - (memory.get('inactive_file') ?? 0)),
        rssBytes: memory.get('anon') ?? 0,
        pageFaults: memory.get('pgfault') ?? 0,
        majorPageFaults: memory.get('pgmajfault') ?? 0,
        limitBytes: limit !== undefined && Number.isFinite(limit) ? limit : undefined,
        oomKills: events?.get('oom_kill'),
      },
      processes,
    };
  }

  /** The root cgroup has no memory.current. */
  async #usageOfRoot(): Promise<number> {
    const { totalBytes, freeBytes } = await memoryInfo(this.#procRoot);
    return totalBytes - freeBytes;
  }
}

async function controllersOf(directory: string): Promise<ReadonlySet<string>> {
  return new Set((await readText(join(directory, 'cgroup.controllers'))).split(/\s+/).filter(Boolean));
}

/** Enables controllers for the cgroups inside; those that cannot be are left out, and a limit that needs one says so. */
async function enable(directory: string, controllers: readonly string[]): Promise<void> {
  const file = join(directory, 'cgroup.subtree_control');
  try {
    await writeCgroupFile(file, controllers.map((controller) => `+${controller}`).join(' '));
  } catch {
    for (const controller of controllers) await writeCgroupFile(file, `+${controller}`).catch(() => {});
  }
}
