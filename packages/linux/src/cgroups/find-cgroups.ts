import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { readMountInfo } from '../mounts/index.ts';
import type { CgroupManager } from './cgroup-manager.ts';
import type { CgroupDriver } from './cgroup-name.ts';
import { CgroupV1Manager } from './cgroup-v1-manager.ts';
import { CgroupV2Manager } from './cgroup-v2-manager.ts';
import { type SliceUnits, SystemdCgroupManager } from './systemd-cgroup-manager.ts';

export interface FindCgroupsOptions {
  readonly driver: CgroupDriver;
  /** systemd, for the driver of that name. */
  readonly systemd?: SliceUnits;
  readonly clock?: Clock;
  readonly procRoot?: string;
  readonly sysRoot?: string;
}

const controllers = new Set([
  ...['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids', 'hugetlb'],
  ...['net_cls', 'net_prio', 'perf_event', 'rdma', 'misc', 'name=systemd'],
]);

/**
 * Finds out which version of cgroups the machine has: version 2 if it is mounted at `/sys/fs/cgroup` itself, otherwise version 1 with
 * the controllers that are mounted. Rejects if there is neither, and if the systemd driver is asked for without systemd.
 */
export async function findCgroups(options: FindCgroupsOptions): Promise<CgroupManager> {
  const { driver, systemd, clock = systemClock, procRoot = '/proc', sysRoot = '/sys' } = options;
  const root = join(sysRoot, 'fs/cgroup');
  const isUnified = await access(join(root, 'cgroup.controllers')).then(
    () => true,
    () => false,
  );
  const manager = isUnified
    ? new CgroupV2Manager({ root, driver, clock, procRoot, sysRoot })
    : new CgroupV1Manager({ mountPoints: await hierarchies(procRoot), driver, clock, sysRoot });
  if (driver === 'cgroupfs') return manager;
  if (!systemd) throw new Error('the systemd cgroup driver needs systemd');
  return new SystemdCgroupManager(manager, systemd);
}

/** Controller → mount point; the shortest one if a controller is mounted several times. */
async function hierarchies(procRoot: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { type, mountPoint, superOptions } of await readMountInfo(procRoot)) {
    if (type !== 'cgroup') continue;
    for (const controller of superOptions.filter((option) => controllers.has(option))) {
      const known = found.get(controller);
      if (known === undefined || mountPoint.length < known.length) found.set(controller, mountPoint);
    }
  }
  if (found.size === 0) throw new Error('failed to find cgroup mounts');
  return found;
}
