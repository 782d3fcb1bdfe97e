import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import type { CgroupName } from '@coxswain/linux';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, shell } from './real-node.ts';

const root = '/sys/fs/cgroup';
const hasCgroupV2 = await access(join(root, 'cgroup.controllers')).then(
  () => true,
  () => false,
);
const problem = (await containerdProblem()) ?? (hasCgroupV2 ? undefined : 'This machine has no cgroup v2');
if (problem) console.warn(`SKIPPED: tests of the limits of real pods. ${problem}`);

const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Running';

describe.skipIf(problem)('on a real node with cgroup v2', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.12.0/24', {
      configure: (configuration) => ({
        ...configuration,
        cgroups: { ...configuration.cgroups, podPidsLimit: 30 },
      }),
    });
  });
  afterAll(() => node?.close());
  afterEach(async () => {
    const pods = node.clients.core.v1.pods('default');
    const { items } = await pods.list();
    await Promise.all(items.map(({ metadata }) => pods.delete(metadata.name!)));
    await node.untilNothingIsLeft();
  });

  const kubepods = (): CgroupName => [...node.cgroupRoot, 'kubepods'];
  const readAt = async (path: string, file: string): Promise<string> =>
    (await readFile(join(root, path, file), 'utf8')).trim();
  const ofCgroup = (name: CgroupName, file: string): Promise<string> => readAt(node.cgroups.path(name), file);

  /** Returns the path of the cgroup of the pod's only container. */
  async function cgroupOf(pod: CgroupName, command: string): Promise<string> {
    for (const pid of await node.cgroups.pids(pod)) {
      const [words, cgroup] = await Promise.all([
        readFile(`/proc/${pid}/cmdline`, 'utf8'),
        readFile(`/proc/${pid}/cgroup`, 'utf8'),
      ]);
      if (words.replaceAll('\0', ' ').trim() === command) return /^0::(.*)$/m.exec(cgroup)?.[1] ?? '';
    }
    throw new Error(`no process ${command} in ${pod.join('/')}`);
  }

  it('the cgroups of a pod, its class and its container have their limits, which a resize changes', async () => {
    const resources = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } };
    const created = await node.create('limited', { containers: [{ ...shell('main', 'exec sleep 1001'), resources }] });
    await node.until('limited', isRunning);
    const burstable = [...kubepods(), 'burstable'];
    const pod = [...burstable, `pod${created.metadata.uid}`];
    expect([await ofCgroup(kubepods(), 'cpu.weight'), await ofCgroup(kubepods(), 'memory.max')]).toEqual([
      '79',
      String(2 ** 32),
    ]);
    expect(await ofCgroup(burstable, 'cpu.weight')).toBe('4');
    expect(await ofCgroup([...kubepods(), 'besteffort'], 'cpu.weight')).toBe('1');
    expect([await ofCgroup(pod, 'cpu.max'), await ofCgroup(pod, 'memory.max')]).toEqual([
      '20000 100000',
      String(64 << 20),
    ]);
    expect(await ofCgroup(pod, 'pids.max')).toBe('30');

    const container = await cgroupOf(pod, 'sleep 1001');
    const limits = (): Promise<string[]> =>
      Promise.all(['cpu.max', 'memory.max'].map((file) => readAt(container, file)));
    expect(await limits()).toEqual(['20000 100000', String(64 << 20)]);
    expect([await readAt(container, 'memory.swap.max'), await readAt(container, 'memory.oom.group')]).toEqual([
      '0',
      '1',
    ]);

    const more = { requests: { cpu: '150m', memory: '32Mi' }, limits: { cpu: '300m', memory: '96Mi' } };
    await node.clients.core.v1
      .pods('default')
      .patch(
        'limited',
        'strategic-merge',
        { spec: { containers: [{ name: 'main', resources: more }] } },
        { subresource: 'resize' },
      );
    const resized = await node.until('limited', (found) => {
      const status = found?.status?.containerStatuses?.[0];
      return status?.resources?.limits?.memory === '96Mi' && status.resources.limits.cpu === '300m';
    });
    expect(resized?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0, resources: more });
    expect(await limits()).toEqual(['30000 100000', String(96 << 20)]);
    expect([await ofCgroup(pod, 'cpu.max'), await ofCgroup(pod, 'memory.max')]).toEqual([
      '30000 100000',
      String(96 << 20),
    ]);
    expect(await ofCgroup(burstable, 'cpu.weight')).toBe('6');
    const stats = await node.cgroups.stats(node.cgroups.path(pod));
    expect(stats.memory.limitBytes).toBe(96 << 20);
    expect(stats.cpu.usageNanoseconds).toBeGreaterThan(0n);

    await node.clients.core.v1.pods('default').delete('limited');
    await node.until('limited', (found) => found === undefined);
    expect(await node.cgroups.exists(pod)).toBe(false);
  });

  it('a container that uses more memory than its limit is OOMKilled', async () => {
    const resources = { limits: { memory: '16Mi' } };
    await node.create('hungry', {
      restartPolicy: 'Never',
      containers: [{ ...shell('main', 'x=$(head -c 100000000 /dev/zero | tr "\\\\0" x)'), resources }],
    });
    const ended = await node.until('hungry', (pod) => pod?.status?.phase === 'Failed');
    expect(ended?.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      reason: 'OOMKilled',
      exitCode: 137,
    });
  });

  it('a pod cannot start more processes than its limit', async () => {
    const script = 'i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done';
    await node.create('forks', { restartPolicy: 'Never', containers: [shell('main', script)] });
    await node.until('forks', (pod) => pod?.status?.phase === 'Failed');
    expect(await node.logs('forks')).toMatch(/can't fork: Resource temporarily unavailable/);
  });

  it('a kubelet that is started again finds the cgroups of its pods', async () => {
    const created = await node.create('kept', { containers: [shell('main', 'exec sleep 1002')] });
    await node.until('kept', isRunning);
    await node.stopKubelet();
    await node.startKubelet();
    const pod = [...kubepods(), 'besteffort', `pod${created.metadata.uid}`];
    expect(await cgroupOf(pod, 'sleep 1002')).toContain(node.cgroups.path(pod));
    await node.clients.core.v1.pods('default').delete('kept');
    await node.until('kept', (found) => found === undefined);
    expect(await node.cgroups.exists(pod)).toBe(false);
  });
});
