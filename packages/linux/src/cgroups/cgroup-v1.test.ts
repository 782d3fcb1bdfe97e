import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CgroupManager } from './cgroup-manager.ts';
import { type CgroupName, newCgroupName } from './cgroup-name.ts';
import { findCgroups } from './find-cgroups.ts';

const root = '/sys/fs/cgroup';

function canUseV1(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || existsSync(`${root}/cgroup.controllers`))
    return false;
  try {
    for (const controller of ['cpu', 'memory', 'pids', 'cpuset']) accessSync(join(root, controller), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

it('statistics of version 1 are of the whole tree, in the units of all versions', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'coxswain-cgroup-'));
  try {
    const files = {
      'self/mountinfo': [
        `32 31 0:29 / ${scratch}/very/long/path rw - cgroup cgroup rw,memory`,
        `33 31 0:29 / ${scratch}/memory rw - cgroup cgroup rw,memory`,
        `34 31 0:30 / ${scratch}/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct`,
      ].join('\n'),
      'memory/a/memory.usage_in_bytes': '1000\n',
      'memory/a/memory.limit_in_bytes': '9223372036854771712\n',
      'memory/a/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n',
      'memory/a/memory.stat': [
        ...['cache 1', 'rss 2', 'inactive_file 3', 'pgfault 4', 'total_rss 200', 'total_pgfault 400'],
        ...['total_pgmajfault 5', 'total_inactive_file 300'],
      ].join('\n'),
      'cpu,cpuacct/a/cpuacct.usage': '12345678901234567890\n',
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(scratch, path)), { recursive: true });
      await writeFile(join(scratch, path), content);
    }
    const manager = await findCgroups({ driver: 'cgroupfs', procRoot: scratch, sysRoot: join(scratch, 'none') });
    expect(await manager.stats('/a')).toEqual({
      cpu: { usageNanoseconds: 12345678901234567890n },
      memory: {
        usageBytes: 1000,
        workingSetBytes: 700,
        rssBytes: 200,
        pageFaults: 400,
        majorPageFaults: 5,
        limitBytes: undefined,
        oomKills: 3,
      },
      processes: undefined,
    });
  } finally {
    await rm(scratch, { recursive: true });
  }
});

describe.skipIf(!canUseV1())('cgroup v1 of this machine (needs root and writable hierarchies)', () => {
  let manager: CgroupManager;
  let scratch: CgroupName;
  const children: ChildProcess[] = [];
  const controllers = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'freezer', 'devices', 'blkio'];
  const fileOf = (controller: string, file: string): Promise<string> =>
    readFile(join(root, controller, manager.path(scratch), file), 'utf8').then((text) => text.trim());

  /** A shell in the cgroup, which prints a line when it is there. */
  async function start(script: string, name: CgroupName = scratch): Promise<ChildProcess> {
    const procs = ['cpu', 'cpuacct', 'memory', 'pids'].map((it) => join(root, it, manager.path(name), 'cgroup.procs'));
    const enter = procs.map((file) => `echo $$ > ${file}`).join(' && ');
    const child = spawn('/bin/sh', ['-c', `${enter} && echo in; ${script}`], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout!, 'data');
    return child;
  }

  beforeAll(async () => {
    manager = await findCgroups({ driver: 'cgroupfs' });
  });
  let count = 0;
  beforeEach(() => {
    scratch = newCgroupName([], `coxswain-test-${process.pid}-${count++}`, 'kubepods');
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await manager.destroy(scratch.slice(0, 1));
  });

  it('is found', () => expect(manager.version).toBe(1));

  it('is made in every hierarchy with its limits, and made again without harm', async () => {
    const resources = { cpuShares: 512, cpuQuota: 20_000, cpuPeriod: 50_000, memory: 64 << 20, pids: 100 };
    expect(await manager.exists(scratch)).toBe(false);
    await manager.create(scratch, resources);
    await manager.create(scratch, resources);
    expect(await manager.exists(scratch)).toBe(true);
    for (const controller of controllers) expect(existsSync(join(root, controller, manager.path(scratch)))).toBe(true);
    expect(await fileOf('pids', 'pids.max')).toBe('100');
    expect(await fileOf('cpuset', 'cpuset.cpus')).toBe((await readFile(`${root}/cpuset/cpuset.cpus`, 'utf8')).trim());
    expect(await fileOf('cpuset', 'cpuset.mems')).not.toBe('');
    expect(await manager.resources(scratch)).toEqual({
      cpuShares: 512,
      cpuQuota: 20_000,
      cpuPeriod: 50_000,
      memory: 64 << 20,
    });
  });

  it('an update changes what it names only, and can lift limits', async () => {
    await manager.create(scratch, { cpuShares: 512, cpuQuota: 20_000, memory: 64 << 20, pids: 100 });
    await manager.update(scratch, { cpuQuota: -1, memory: -1, pids: -1 });
    expect(await manager.resources(scratch)).toEqual({
      cpuShares: 512,
      cpuQuota: -1,
      cpuPeriod: 100_000,
      memory: undefined,
    });
    expect(await fileOf('pids', 'pids.max')).toBe('max');
    await manager.update(scratch, { pids: 0, cpuset: '0' });
    expect([await fileOf('pids', 'pids.max'), await fileOf('cpuset', 'cpuset.cpus')]).toEqual(['1', '0']);
  });

  it('a shorter period with the same share of the CPU is set, though the parent limits the quota', async () => {
    await manager.create(scratch, { cpuQuota: 50_000, cpuPeriod: 100_000 });
    const pod = newCgroupName(scratch, 'pod1');
    await manager.create(pod, { cpuQuota: 50_000, cpuPeriod: 100_000 });
    await manager.update(pod, { cpuQuota: 5000, cpuPeriod: 10_000 });
    expect(await manager.resources(pod)).toMatchObject({ cpuQuota: 5000, cpuPeriod: 10_000 });
  });

  it('updates and statistics of what does not exist are errors that name the file', async () => {
    await expect(manager.update(scratch, { cpuShares: 2 })).rejects.toThrow(/failed to write "2" to .*cpu\.shares/);
    await expect(manager.stats(manager.path(scratch))).rejects.toThrow('ENOENT');
    await expect(manager.stats('/a/../../etc')).rejects.toThrow('invalid cgroup path');
    expect(await manager.pids(scratch)).toEqual([]);
    expect(await manager.children(scratch)).toEqual([]);
    await manager.destroy(scratch);
  });

  it('a value that the kernel refuses is an error that names it', async () => {
    await manager.create(scratch, {});
    await expect(manager.update(scratch, { cpuQuota: 1 })).rejects.toThrow(
      /failed to write "1" to .*cpu\.cfs_quota_us/,
    );
  });

  it('statistics show CPU, memory and processes of cgroups inside too', async () => {
    const pod = newCgroupName(scratch, 'pod1');
    await manager.create(pod, {});
    await start('i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; sleep 1000', pod);
    await once(children[0]!.stdout!, 'data');
    const { cpu, memory, processes } = await manager.stats(manager.path(scratch));
    expect(cpu.usageNanoseconds).toBeGreaterThan(1_000_000n);
    expect(memory.usageBytes).toBeGreaterThan(0);
    expect(memory.workingSetBytes).toBeLessThanOrEqual(memory.usageBytes);
    expect(memory.limitBytes).toBeUndefined();
    expect(processes).toBeGreaterThanOrEqual(1);
    expect(await manager.pids(scratch)).toContain(children[0]!.pid);
    expect(await manager.children(scratch)).toEqual([pod]);
  });

  it('a process that is killed for want of memory is counted', async () => {
    await manager.create(scratch, { memory: 8 << 20 });
    const child = await start('x=$(head -c 100000000 /dev/zero | tr "\\\\0" x)');
    await once(child, 'exit');
    const { memory } = await manager.stats(manager.path(scratch));
    expect(memory.oomKills).toBeGreaterThan(0);
    expect(memory.limitBytes).toBe(8 << 20);
  });

  it('is removed with its processes, even with those that are in cgroups inside or start others', async () => {
    const pod = newCgroupName(scratch, 'pod1', 'container');
    await manager.create(pod, { pids: 100 });
    const stubborn = await start('trap "" TERM INT HUP; sleep 1000', pod);
    const forking = await start('while :; do sleep 0.001 & done');
    const ended = [once(stubborn, 'exit'), once(forking, 'exit')];
    await manager.destroy(scratch);
    await Promise.all(ended);
    for (const controller of controllers) expect(existsSync(join(root, controller, manager.path(scratch)))).toBe(false);
    expect(await manager.exists(scratch)).toBe(false);
  });

  it('what exists in part is completed, and is removed', async () => {
    const memory = join(root, 'memory', manager.path(scratch));
    await mkdir(memory, { recursive: true });
    expect(await manager.exists(scratch)).toBe(false);
    await manager.create(scratch, {});
    expect(await manager.exists(scratch)).toBe(true);
    await rmdir(join(root, 'pids', manager.path(scratch)));
    await manager.destroy(scratch);
    expect(existsSync(memory)).toBe(false);
  });

  it('the root is not removed', async () => {
    await expect(manager.destroy([])).rejects.toThrow('the root cgroup cannot be removed');
  });
});
