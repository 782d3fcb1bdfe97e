import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CgroupManager } from './cgroup-manager.ts';
import { type CgroupDriver, type CgroupName, newCgroupName, sliceOf } from './cgroup-name.ts';
import { findCgroups } from './find-cgroups.ts';
import { Systemd } from './systemd.ts';

const root = '/sys/fs/cgroup';
const run = promisify(execFile);

/** Returns why this machine's cgroups cannot be used with a driver; undefined if they can. */
function problemOf(driver: CgroupDriver): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root';
  const controllers = join(root, 'cgroup.controllers');
  const available = existsSync(controllers) ? readFileSync(controllers, 'utf8').trim().split(' ') : [];
  const missing = ['cpu', 'cpuset', 'memory', 'pids'].filter((controller) => !available.includes(controller));
  if (missing.length > 0) return `cgroup v2 does not have ${missing.join(', ')}`;
  if (driver === 'systemd' && !existsSync('/run/systemd/system')) return 'systemd is not running';
  return undefined;
}

describe.each(['cgroupfs', 'systemd'] as const)('cgroup v2 of this machine with the driver %s', (driver) => {
  const problem = problemOf(driver);
  if (problem) console.warn(`SKIPPED: tests of cgroup v2 with the driver ${driver}. ${problem}`);

  describe.skipIf(problem)('', () => {
    const top = newCgroupName([], `coxtest${process.pid}`);
    const pods = newCgroupName(top, 'kubepods');
    const burstable = newCgroupName(pods, 'burstable');
    const pod = newCgroupName(burstable, 'pod1-2');
    const systemd = new Systemd();
    const children: ChildProcess[] = [];
    let manager: CgroupManager;

    beforeAll(async () => {
      manager = await findCgroups({ driver, systemd });
    });
    afterEach(async () => {
      await manager.destroy(top);
      for (const child of children.splice(0)) child.kill('SIGKILL');
    });
    afterAll(() => systemd.close());

    const read = async (name: CgroupName, file: string): Promise<string> =>
      (await readFile(join(root, manager.path(name), file), 'utf8')).trim();

    /** Starts a shell that enters the cgroup before it runs the script. */
    function start(name: CgroupName, script: string): ChildProcess {
      const enter = `echo $$ > ${join(root, manager.path(name))}/cgroup.procs\n${script}`;
      const child = spawn('/bin/sh', ['-c', enter], { stdio: ['ignore', 'pipe', 'ignore'] });
      children.push(child);
      return child;
    }

    it('has the cgroups of QoS classes and of a pod, with their limits', async () => {
      await manager.create(top, {});
      await manager.create(pods, { cpuShares: 2048, memory: 2 ** 30, pids: 1000 });
      await manager.create(burstable, {});
      await manager.update(burstable, { cpuShares: 512 });
      const limits = { cpuShares: 1024, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 64 << 20, pids: 20, cpuset: '0' };
      await manager.create(pod, { ...limits, unified: { 'memory.high': String(32 << 20) } });
      for (const name of [top, pods, burstable, pod]) expect(await manager.exists(name)).toBe(true);
      expect(await read(pods, 'memory.max')).toBe(String(2 ** 30));
      expect(await read(pods, 'pids.max')).toBe('1000');
      expect([await read(pods, 'cpu.weight'), await read(burstable, 'cpu.weight')]).toEqual(['79', '20']);
      expect(await read(pod, 'cpu.weight')).toBe('39');
      expect(await read(pod, 'cpu.max')).toBe('50000 100000');
      expect(await read(pod, 'memory.max')).toBe(String(64 << 20));
      expect(await read(pod, 'memory.high')).toBe(String(32 << 20));
      expect(await read(pod, 'pids.max')).toBe('20');
      expect(await read(pod, 'cpuset.cpus')).toBe('0');
      expect(await manager.resources(pod)).toEqual({
        cpuShares: 998,
        cpuQuota: 50_000,
        cpuPeriod: 100_000,
        memory: 64 << 20,
      });
      expect(await manager.children(burstable)).toEqual([pod]);
    });

    it('limits change and are lifted, and those that are not named stay', async () => {
      await manager.create(pod, { cpuShares: 1024, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 64 << 20, pids: 20 });
      await manager.update(pod, { cpuQuota: 5000, cpuPeriod: 10_000, memory: 128 << 20 });
      expect([await read(pod, 'cpu.max'), await read(pod, 'memory.max')]).toEqual(['5000 10000', String(128 << 20)]);
      await manager.update(pod, { cpuQuota: -1, cpuPeriod: 100_000, memory: -1 });
      expect([await read(pod, 'cpu.max'), await read(pod, 'memory.max')]).toEqual(['max 100000', 'max']);
      expect([await read(pod, 'cpu.weight'), await read(pod, 'pids.max')]).toEqual(['39', '20']);
      await manager.update(pod, { pids: -1 });
      expect(await read(pod, 'pids.max')).toBe('max');
    });

    it('a process beyond the limit of processes does not start, and one beyond that of memory is killed', async () => {
      await manager.create(pod, { memory: 16 << 20, pids: 3 });
      const forks = start(pod, 'trap "echo refused" EXIT; sleep 1000 & sleep 1000 & sleep 1000 & echo started; wait');
      const [answer] = await once(forks.stdout!, 'data');
      expect(String(answer)).toBe('refused\n');
      await manager.update(pod, { pids: 100 });
      const hungry = start(pod, 'x=$(head -c 100000000 /dev/zero | tr "\\\\0" x)');
      await once(hungry, 'exit');
      const { memory, processes } = await manager.stats(manager.path(pod));
      expect(memory.oomKills).toBeGreaterThan(0);
      expect(memory.limitBytes).toBe(16 << 20);
      expect(processes).toBeGreaterThanOrEqual(2);
    });

    it('statistics and processes include those of cgroups inside', async () => {
      await manager.create(pod, {});
      const busy = start(pod, 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; sleep 1000');
      await once(busy.stdout!, 'data');
      const { cpu, memory } = await manager.stats(manager.path(pods));
      expect(cpu.usageNanoseconds).toBeGreaterThan(1_000_000n);
      expect(memory.usageBytes).toBeGreaterThan(0);
      expect(memory.pageFaults).toBeGreaterThan(0);
      expect(memory.workingSetBytes).toBeLessThanOrEqual(memory.usageBytes);
      expect(await manager.pids(pods)).toContain(busy.pid);
      expect((await manager.stats('/')).memory.usageBytes).toBeGreaterThan(memory.usageBytes);
    });

    it('is removed with processes that start others, and can be made again', async () => {
      for (const _ of ['first', 'second']) {
        await manager.create(pod, { pids: 100 });
        const forking = start(pod, 'echo in; while :; do sleep 0.001 & done');
        const ended = once(forking, 'exit');
        await once(forking.stdout!, 'data');
        await manager.destroy(pods);
        await ended;
        expect(await manager.exists(pods)).toBe(false);
        expect(existsSync(join(root, manager.path(pods)))).toBe(false);
      }
      await manager.destroy(pods);
    });

    describe.runIf(driver === 'systemd')('systemd', () => {
      const show = async (unit: string, ...properties: readonly string[]): Promise<Record<string, string>> => {
        const { stdout } = await run('systemctl', ['show', unit, ...properties.map((name) => `--property=${name}`)]);
        return Object.fromEntries(
          stdout
            .trim()
            .split('\n')
            .map((line) => line.split('=', 2)),
        );
      };

      it('knows the limits, and leaves them when it is loaded again', async () => {
        await manager.create(pod, {
          cpuShares: 1024,
          cpuQuota: 33_300,
          cpuPeriod: 100_000,
          memory: 64 << 20,
          pids: 20,
        });
        expect(await show(sliceOf(pod).unit, 'MemoryMax', 'TasksMax', 'CPUWeight', 'CPUQuotaPerSecUSec')).toEqual({
          MemoryMax: String(64 << 20),
          TasksMax: '20',
          CPUWeight: '39',
          CPUQuotaPerSecUSec: '340ms',
        });
        const files = ['cpu.max', 'cpu.weight', 'memory.max', 'pids.max'];
        const limits = (): Promise<string[]> => Promise.all(files.map((file) => read(pod, file)));
        const before = await limits();
        expect(before).toEqual(['34000 100000', '39', String(64 << 20), '20']);
        await run('systemctl', ['daemon-reload']);
        await run('systemctl', ['set-property', '--runtime', sliceOf(top).unit, 'CPUWeight=50']);
        expect(await limits()).toEqual(before);
      });

      it('forgets what is removed', async () => {
        await manager.create(pod, {});
        expect(await show(sliceOf(pod).unit, 'ActiveState')).toEqual({ ActiveState: 'active' });
        await manager.destroy(pod);
        expect(await show(sliceOf(pod).unit, 'ActiveState')).toEqual({ ActiveState: 'inactive' });
      });

      it('is talked to by its own socket if there is no bus', async () => {
        const own = new Systemd({ sockets: [{ path: '/run/systemd/private', isBus: false }] });
        try {
          await own.startSlice(sliceOf(top).unit, []);
          expect(await own.version()).toBe(await systemd.version());
          await own.stopUnit(sliceOf(top).unit);
        } finally {
          await own.close();
        }
      });
    });
  });
});
