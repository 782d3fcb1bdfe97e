import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, readinessOf, shell } from './real-node.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of a real node. ${problem}`);

describe.skipIf(problem)('on a real node', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.2.0/24');
  });
  afterAll(() => node?.close());

  it('a kubelet starts on a machine without its directories, and logs no errors', async () => {
    await node.untilNode((found) => readinessOf(found)?.status === 'True');
    expect(node.log).toEqual([]);
    expect((await node.events('real')).filter((event) => event.startsWith('Warning'))).toEqual([]);
  });

  it('a pod runs, and is removed when it is deleted', async () => {
    await node.create('web', { containers: [shell('web', 'exec sleep 1000')] });
    const running = await node.until('web', (pod) => pod?.status?.phase === 'Running');
    expect(running?.status?.podIP).toMatch(/^10\.213\.2\./);
    expect(running?.status?.containerStatuses?.[0]).toMatchObject({
      name: 'web',
      ready: true,
      restartCount: 0,
      image: 'registry.example/busybox:1',
      containerID: expect.stringMatching(/^containerd:\/\//),
    });
    await node.clients.core.v1.pods('default').delete('web');
    await node.until('web', (pod) => pod === undefined);
    await node.untilNothingIsLeft();
  });

  it('a container that has ended has its exit code and termination message in the status', async () => {
    const container = {
      ...shell('job', 'echo failed > /dev/termination-log; exit 3'),
      terminationMessagePath: '/dev/termination-log',
    };
    await node.create('job', { restartPolicy: 'Never', containers: [container] });
    const ended = await node.until('job', (pod) => pod?.status?.phase === 'Failed');
    expect(ended?.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 3,
      reason: 'Error',
      message: 'failed\n',
    });
    await node.clients.core.v1.pods('default').delete('job');
    await node.untilNothingIsLeft();
  });

  it('the cgroup of a pod has the limits of its containers', async () => {
    const resources = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } };
    const created = await node.create('limited', { containers: [{ ...shell('main', 'exec sleep 1000'), resources }] });
    await node.until('limited', (pod) => pod?.status?.phase === 'Running');
    const name = [...node.cgroupRoot, 'kubepods', 'burstable', `pod${created.metadata.uid}`];
    expect(await node.cgroups.resources(name)).toEqual({
      // A weight of cgroup v2 stands for some 26 shares.
      cpuShares: node.cgroups.version === 1 ? 102 : 80,
      cpuQuota: 20_000,
      cpuPeriod: 100_000,
      memory: 64 * 2 ** 20,
    });
    expect(await node.cgroups.pids(name)).not.toEqual([]);
    await node.clients.core.v1.pods('default').delete('limited');
    await node.untilNothingIsLeft();
    expect(await node.cgroups.exists(name)).toBe(false);
  });
});
