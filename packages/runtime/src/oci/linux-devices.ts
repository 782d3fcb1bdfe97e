import type { Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Device } from '@coxswain/cri';
import type { DeviceRule, LinuxDevice } from './oci-spec.ts';

export interface ContainerDevices {
  readonly devices: readonly LinuxDevice[];
  readonly rules: readonly DeviceRule[];
}

/** In /dev of the node, but not of privileged containers: each has its own. */
const left = new Set(['pts', 'shm', 'fd', 'mqueue', 'console', '.lxc', '.lxd-mounts', '.udev']);

const nothing: DeviceRule = { allow: false, access: 'rwm' };
const everything: DeviceRule = { allow: true, access: 'rwm' };

/**
 * The devices of a container, and what its cgroup lets it do with them. A directory stands for all devices in it. A privileged container
 * has all devices of the node. runc adds /dev/null and the like.
 */
export async function containerDevices(asked: readonly Device[], isPrivileged: boolean): Promise<ContainerDevices> {
  const devices = new Map<string, LinuxDevice>();
  const rules: DeviceRule[] = [nothing];
  if (isPrivileged) {
    for (const device of await devicesBelow('/dev', '/dev')) devices.set(device.path, device);
    rules.push(everything);
  }
  for (const { hostPath, containerPath, permissions } of asked) {
    const found = await devicesBelow(await realpath(hostPath), containerPath || hostPath);
    if (found.length === 0)
      throw new Error(`get device path: "${hostPath}" containerPath: "${containerPath}" error: not a device node`);
    for (const device of found) {
      devices.set(device.path, device);
      const { type, major, minor } = device;
      rules.push({ allow: true, type, major, minor, access: permissions || 'rwm' });
    }
  }
  return { devices: [...devices.values()], rules };
}

async function devicesBelow(path: string, containerPath: string): Promise<LinuxDevice[]> {
  const stats = await stat(path);
  if (!stats.isDirectory()) return deviceOf(stats, containerPath);
  const found = await Promise.all(
    (await readdir(path)).map(async (name) => {
      if (left.has(name)) return [];
      const below = join(path, name);
      const entry = await lstat(below).catch(() => undefined);
      if (!entry || entry.isSymbolicLink()) return [];
      const inContainer = join(containerPath, name);
      return entry.isDirectory() ? await devicesBelow(below, inContainer) : deviceOf(entry, inContainer);
    }),
  );
  return found.flat();
}

function deviceOf(stats: Stats, path: string): LinuxDevice[] {
  if (!stats.isCharacterDevice() && !stats.isBlockDevice()) return [];
  const { rdev, mode, uid, gid } = stats;
  return [
    {
      path,
      type: stats.isBlockDevice() ? 'b' : 'c',
      // As glibc packs the numbers of a device; they are small enough that the lower half has them.
      major: (rdev >> 8) & 0xfff,
      minor: (rdev & 0xff) | ((rdev >> 12) & 0xfff00),
      fileMode: mode & 0o7777,
      uid,
      gid,
    },
  ];
}
