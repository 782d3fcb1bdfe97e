import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CgroupManager } from './cgroup-manager.ts';
import { findCgroups } from './find-cgroups.ts';

const pod = ['kubepods', 'pod1'];
let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'coxswain-cgroup-'));
});
afterEach(() => rm(scratch, { recursive: true }));

describe.skipIf(process.platform === 'win32')('cgroup v2, on a tree of files', () => {
  let manager: CgroupManager;
  const at = (path: string): string => join(scratch, 'fs/cgroup', path);
  const read = (file: string): Promise<string> => readFile(at(`kubepods/pod1/${file}`), 'utf8');

  async function files(entries: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, content] of Object.entries(entries)) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
    }
  }
  const ofPod = (entries: Readonly<Record<string, string>>): Promise<void> =>
    files(Object.fromEntries(Object.entries(entries).map(([file, content]) => [`kubepods/pod1/${file}`, content])));

  beforeEach(async () => {
    await files({
      'cgroup.controllers': 'cpuset cpu io memory hugetlb pids\n',
      'cgroup.subtree_control': '',
      'kubepods/cgroup.subtree_control': '',
      'kubepods/cgroup.controllers': 'cpuset cpu io memory hugetlb pids\n',
    });
    await ofPod({
      'cgroup.controllers': 'cpuset cpu memory hugetlb pids\n',
      'cpu.weight': '100\n',
      'cpu.max': 'max 100000\n',
      'cpuset.cpus': '\n',
      'memory.max': 'max\n',
      'memory.swap.max': '0\n',
      'memory.high': 'max\n',
      'pids.max': 'max\n',
      'hugetlb.2MB.max': 'max\n',
      'hugetlb.2MB.rsvd.max': 'max\n',
      'hugetlb.1GB.max': 'max\n',
    });
    await mkdir(join(scratch, 'kernel/mm/hugepages/hugepages-2048kB'), { recursive: true });
    await mkdir(join(scratch, 'kernel/mm/hugepages/hugepages-1048576kB'), { recursive: true });
    for (const size of ['2048', '1048576']) {
      await writeFile(join(scratch, `kernel/mm/hugepages/hugepages-${size}kB/nr_hugepages`), '0\n');
    }
    manager = await findCgroups({ driver: 'cgroupfs', sysRoot: scratch });
  });

  it('is found by its file of controllers', () => expect(manager.version).toBe(2));

  it('is made with the controllers enabled above it, and its limits', async () => {
    const hugePages = new Map([[2 ** 21, 2 ** 22]]);
    const unified = { 'memory.high': '100' };
    const limits = { cpuShares: 1024, cpuQuota: 50_000, cpuPeriod: 10_000, memory: 2 ** 30, pids: 10, cpuset: '0-1' };
    await manager.create(pod, { ...limits, hugePages, unified });
    for (const parent of ['', 'kubepods/']) {
      const enabled = await readFile(at(`${parent}cgroup.subtree_control`), 'utf8');
      expect(enabled).toBe('+cpuset +cpu +io +memory +hugetlb +pids');
    }
    expect(await read('cpu.weight')).toBe('39');
    expect(await read('cpu.max')).toBe('50000 10000');
    expect(await read('memory.max')).toBe('1073741824');
    expect(await read('memory.swap.max')).toBe('0\n');
    expect(await read('pids.max')).toBe('10');
    expect(await read('cpuset.cpus')).toBe('0-1');
    expect(await read('memory.high')).toBe('100');
    expect(await read('hugetlb.2MB.max')).toBe('4194304');
    expect(await read('hugetlb.2MB.rsvd.max')).toBe('4194304');
    // Pages without a limit may not be used. This size has no limit of reservations here.
    expect(await read('hugetlb.1GB.max')).toBe('0');
    expect(await manager.resources(pod)).toEqual({
      cpuShares: 998,
      cpuQuota: 50_000,
      cpuPeriod: 10_000,
      memory: 2 ** 30,
    });
  });

  it('an update lifts limits, and leaves others as they are', async () => {
    await manager.update(pod, { cpuQuota: -1, memory: -1, pids: -1 });
    expect([await read('cpu.max'), await read('memory.max')]).toEqual(['max 100000', 'max']);
    expect([await read('memory.swap.max'), await read('pids.max')]).toEqual(['max', 'max']);
    expect(await read('cpu.weight')).toBe('100\n');
    expect(await manager.resources(pod)).toMatchObject({ cpuQuota: -1, cpuPeriod: 100_000, memory: undefined });
  });

  it('a unified setting is a file of the cgroup', async () => {
    await expect(manager.update(pod, { unified: { '../memory.max': '1' } })).rejects.toThrow('must be a file name');
    await expect(manager.update(pod, { unified: { 'io.nothing': '1' } })).rejects.toThrow('io.nothing');
  });

  it('exists with all controllers that the kubelet uses and the machine has', async () => {
    expect(await manager.exists(pod)).toBe(true);
    expect(await manager.exists(['kubepods', 'pod2'])).toBe(false);
    await ofPod({ 'cgroup.controllers': 'cpuset memory hugetlb pids\n' });
    expect(await manager.exists(pod)).toBe(false);
    await files({ 'cgroup.controllers': 'cpuset memory pids\n' });
    expect(await manager.exists(pod)).toBe(true);
  });

  it('statistics are in the units of all versions', async () => {
    await ofPod({
      'cpu.stat': 'usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n',
      'memory.stat': 'anon 300\nfile 500\ninactive_file 400\npgfault 7\npgmajfault 2\n',
      'memory.current': '1000\n',
      'memory.max': '2000\n',
      'memory.events': 'low 0\nhigh 0\nmax 5\noom 2\noom_kill 1\n',
      'pids.current': '3\n',
    });
    expect(await manager.stats('/kubepods/pod1')).toEqual({
      cpu: { usageNanoseconds: 1_500_000n },
      memory: {
        usageBytes: 1000,
        workingSetBytes: 600,
        rssBytes: 300,
        pageFaults: 7,
        majorPageFaults: 2,
        limitBytes: 2000,
        oomKills: 1,
      },
      processes: 3,
    });
  });

  it('statistics of the root come from the machine where the root has none', async () => {
    await files({ 'cpu.stat': 'usage_usec 1\n', 'memory.stat': 'anon 1\ninactive_file 100\n' });
    await mkdir(join(scratch, 'proc'));
    await writeFile(join(scratch, 'proc/meminfo'), 'MemTotal: 10 kB\nMemFree: 4 kB\n');
    manager = await findCgroups({ driver: 'cgroupfs', sysRoot: scratch, procRoot: join(scratch, 'proc') });
    const { memory, processes } = await manager.stats('/');
    expect({ usage: memory.usageBytes, set: memory.workingSetBytes, processes }).toEqual({
      usage: 6144,
      set: 6044,
      processes: undefined,
    });
  });

  it('processes and cgroups inside are listed', async () => {
    await ofPod({ 'cgroup.procs': '12\n', 'container/cgroup.procs': '7\n9\n' });
    expect(await manager.pids(['kubepods'])).toEqual([7, 9, 12]);
    expect(await manager.children(['kubepods'])).toEqual([pod]);
  });
});

const unified = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((root) =>
  existsSync(join(root, 'cgroup.controllers')),
);

function isWritable(): boolean {
  try {
    accessSync(unified ?? '/nowhere', constants.W_OK);
    return process.platform === 'linux' && process.getuid?.() === 0;
  } catch {
    return false;
  }
}

describe.skipIf(!isWritable())('cgroup v2 of this machine (needs root and a writable hierarchy)', () => {
  it('is made and removed with its processes', async () => {
    // The hierarchy may be mounted beside those of version 1.
    await mkdir(join(scratch, 'fs'));
    await symlink(unified!, join(scratch, 'fs/cgroup'));
    const manager = await findCgroups({ driver: 'cgroupfs', sysRoot: scratch });
    const parent = [`coxswain-test-${process.pid}`];
    const name = [...parent, 'pod1'];
    const directory = join(unified!, manager.path(name));
    try {
      // Limits of huge pages need the sizes of the machine, which are not in the scratch tree.
      await manager.create(name, {});
      expect(await manager.exists(name)).toBe(true);
      const enter = `echo $$ > ${directory}/cgroup.procs && echo in; while :; do sleep 0.001 & done`;
      const child = spawn('/bin/sh', ['-c', enter], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout!, 'data');
      expect(await manager.pids(parent)).toContain(child.pid);
      const ended = once(child, 'exit');
      await manager.destroy(parent);
      await ended;
      expect(existsSync(directory)).toBe(false);
    } finally {
      await manager.destroy(parent);
    }
  });
});

it('a machine without cgroups is an error', async () => {
  await mkdir(join(scratch, 'self'));
  await writeFile(join(scratch, 'self/mountinfo'), '22 27 0:21 / /proc rw - proc proc rw\n');
  const found = findCgroups({ driver: 'cgroupfs', sysRoot: scratch, procRoot: scratch });
  await expect(found).rejects.toThrow('failed to find cgroup mounts');
});
