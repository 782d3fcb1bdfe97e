import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connectRuntime } from '@coxswain/cri';
import { newCgroupName } from '@coxswain/linux';
import { mountPointsBelow, type RealNode } from '../real-node.ts';

/** Returns everything that belongs to pods: sandboxes, containers, mounts, cgroups, directories, logs and addresses. */
export async function leftovers(node: RealNode): Promise<string[]> {
  return [...(await leftoversOfKubelet(node)), ...(await leftoversOfRuntime(node))];
}

/** Returns what belongs to pods, except what only the runtime knows of. */
export async function leftoversOfKubelet({ containerd, directory, cgroups, cgroupRoot }: RealNode): Promise<string[]> {
  const { runtime, close } = await connectRuntime(containerd.endpoint);
  try {
    const [{ items }, { containers }] = await Promise.all([runtime.listPodSandbox({}), runtime.listContainers({})]);
    const kubepods = newCgroupName(cgroupRoot, 'kubepods');
    const parents = [kubepods, newCgroupName(kubepods, 'burstable'), newCgroupName(kubepods, 'besteffort')];
    const inCgroups = (await Promise.all(parents.map((parent) => cgroups.children(parent)))).flat();
    return [
      ...items.map(({ id, state }) => `sandbox ${id} ${state}`),
      ...containers.map(({ id, state }) => `container ${id} ${state}`),
      ...(await mountPointsBelow(join(directory, 'kubelet'))).map((path) => `mount ${path}`),
      ...inCgroups.filter((name) => name.at(-1)?.startsWith('pod')).map((name) => `cgroup ${cgroups.path(name)}`),
      ...(await namesIn(directory, 'kubelet', 'pods')),
      ...(await namesIn(directory, 'logs')),
    ];
  } finally {
    close();
  }
}

/** A runtime that was killed may leave these behind. */
async function leftoversOfRuntime({ directory }: RealNode): Promise<string[]> {
  const addresses = await namesIn(directory, 'containerd', 'addresses', 'pods');
  return [
    ...(await mountPointsBelow(join(directory, 'containerd', 'state'))).map((path) => `mount ${path}`),
    ...addresses.filter((path) => /\/[\d.]+$/.test(path)),
  ];
}

const namesIn = async (directory: string, ...path: string[]): Promise<string[]> =>
  (await readdir(join(directory, ...path)).catch(() => [])).map((name) => join(...path, name));
