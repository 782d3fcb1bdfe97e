import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { taintEvictionController } from '../taint-eviction/index.ts';
import { nodeLifecycleController } from './index.ts';
import { TestNodes } from './nodes.test-data.ts';

const s = 1000;
let cluster: TestCluster;
let nodes: TestNodes;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [nodeLifecycleController, taintEvictionController] });
  nodes = new TestNodes(cluster);
  await cluster.settle();
}, 60_000);
afterEach(() => cluster.stop());

/** Time passes, and these kubelets keep reporting. */
async function pass(ms: number, ...alive: string[]): Promise<void> {
  for (let left = ms; left > 0; left -= 5 * s) {
    for (const name of alive) await nodes.report(name);
    await cluster.advance(Math.min(left, 5 * s));
  }
  // Taints come a little after what they are for.
  await cluster.advance(200);
}

describe('a node that dies', () => {
  beforeEach(async () => {
    for (const name of ['dead', 'alive']) {
      await nodes.create(name, { 'topology.kubernetes.io/zone': 'a' });
      await nodes.report(name, { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' });
    }
    await nodes.runPod('web', 'dead', [
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ]);
    await pass(5 * s, 'alive');
  });

  it('is unreachable after fifty seconds of silence, not before, and its pods leave when they no longer tolerate that', async () => {
    await pass(45 * s, 'alive');
    expect(await nodes.taints('dead')).toEqual([]);
    await pass(10 * s, 'alive');
    expect(await nodes.conditions('dead')).toEqual(
      ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map(
        (type) => `${type}=Unknown NodeStatusUnknown: Kubelet stopped posting node status.`,
      ),
    );
    expect(await nodes.taints('dead')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    expect(await nodes.taints('alive')).toEqual([]);
    expect((await nodes.pod('web')).status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
    expect(await cluster.events()).toEqual([
      'Normal RegisteredNode Node/dead: Node dead event: Registered Node dead in Controller',
      'Normal RegisteredNode Node/alive: Node alive event: Registered Node alive in Controller',
      'Normal NodeNotReady Node/dead: Node dead status is now: NodeNotReady',
      'Warning NodeNotReady Pod/web: Node is not ready',
    ]);

    await pass(295 * s, 'alive');
    expect((await nodes.pod('web')).metadata.deletionTimestamp).toBeUndefined();
    await pass(10 * s, 'alive');
    const { metadata, status } = await nodes.pod('web');
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      }),
    );
    expect((await cluster.events()).at(-1)).toBe(
      'Normal TaintManagerEviction Pod/web: Marking for deletion Pod default/web',
    );
  });

  it('is let be as long as it renews its lease, whatever its status says', async () => {
    await nodes.renew('dead');
    for (let i = 0; i < 3; i++) {
      await pass(40 * s, 'alive');
      await nodes.renew('dead');
    }
    expect(await nodes.taints('dead')).toEqual([]);
    await pass(60 * s, 'alive');
    expect(await nodes.taints('dead')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  it('that comes back keeps its pods', async () => {
    await pass(60 * s, 'alive');
    await nodes.report('dead');
    await pass(5 * s, 'alive', 'dead');
    expect(await nodes.taints('dead')).toEqual([]);
    expect((await cluster.events()).at(-1)).toBe(
      'Normal TaintManagerEviction Pod/web: Cancelling deletion of Pod default/web',
    );
    await pass(310 * s, 'alive', 'dead');
    expect((await nodes.pod('web')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('that comes back but is not ready goes from one taint to the other at once', async () => {
    await pass(60 * s, 'alive');
    await nodes.report('dead', { Ready: 'False' });
    await pass(5 * s, 'alive');
    expect(await nodes.taints('dead')).toEqual(['not-ready:NoExecute', 'not-ready:NoSchedule']);
  });

  it('has no ready pods, those that come late and those that could not be marked at first included', async () => {
    let failures = 3;
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'PUT' && url.includes('/pods/web/status') && failures-- > 0)
        throw newInternalError(new Error('no'));
    };
    await pass(60 * s, 'alive');
    await pass(15 * s, 'alive');
    expect(failures).toBe(-1);
    expect((await nodes.pod('web')).status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
    const pods = cluster.clients.core.v1.pods('default');
    const spec = { containers: [{ name: 'c', image: 'i' }], tolerations: [{ operator: 'Exists' as const }] };
    await pods.create({ metadata: { name: 'late' }, spec });
    const status = { conditions: [{ type: 'Ready', status: 'True' as const }] };
    await pods.patch('late', 'merge', { status }, { subresource: 'status' });
    await cluster.rest.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods/late/binding',
      body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'late' }, target: { kind: 'Node', name: 'dead' } },
    });
    await cluster.settle();
    const { conditions } = (await nodes.pod('late')).status!;
    expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False' });
    expect((await cluster.events()).at(-1)).toBe('Warning NodeNotReady Pod/late: Node is not ready');
  });

  it('is noticed although others change it all the time', async () => {
    let conflicts = 3;
    cluster.spy.plan = ({ method, url }) => {
      const isStatus = method === 'PUT' && url.includes('/nodes/dead/status');
      if ((isStatus || method === 'PATCH') && conflicts-- > 0) {
        throw newConflict(GroupResource.of('', 'nodes'), 'dead', new Error('the object has been modified'));
      }
    };
    await pass(60 * s, 'alive');
    expect(conflicts).toBeLessThan(0);
    expect(await nodes.taints('dead')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  it('says so again after a restart, and nothing is written once all is said', async () => {
    await pass(60 * s, 'alive');
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.settle();
    await pass(70 * s, 'alive');
    expect(await nodes.taints('dead')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    cluster.spy.requests.length = 0;
    await pass(60 * s, 'alive');
    expect(cluster.spy.writes).toEqual([]);
  });

  it('is forgotten when it is deleted', async () => {
    await cluster.clients.core.v1.nodes().delete('dead');
    await pass(5 * s, 'alive');
    expect((await cluster.events()).at(-1)).toBe(
      'Normal RemovingNode Node/dead: Node dead event: Removing Node dead from Controller',
    );
  });
});

it('gives a node that never said anything a minute', async () => {
  await nodes.create('alive');
  await nodes.report('alive');
  await pass(10 * s, 'alive');
  await nodes.create('mute');
  await pass(55 * s, 'alive');
  expect(await nodes.conditions('mute')).toEqual([]);
  await pass(15 * s, 'alive');
  expect(await nodes.conditions('mute')).toEqual(
    ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map(
      (type) => `${type}=Unknown NodeStatusNeverUpdated: Kubelet never posted node status.`,
    ),
  );
});

it('taints nodes by their conditions, cordons included, and only with what is true', async () => {
  await nodes.create('n', {}, { unschedulable: true, taints: [{ key: 'own', effect: 'NoSchedule' }] });
  await nodes.report('n', { Ready: 'True', MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True' });
  await cluster.settle();
  expect(await nodes.taints('n')).toEqual([
    'disk-pressure:NoSchedule',
    'memory-pressure:NoSchedule',
    'own:NoSchedule',
    'pid-pressure:NoSchedule',
    'unschedulable:NoSchedule',
  ]);
  await nodes.report('n', { MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' });
  await cluster.clients.core.v1.nodes().patch('n', 'merge', { spec: { unschedulable: null } });
  await cluster.settle();
  expect(await nodes.taints('n')).toEqual(['own:NoSchedule']);
});

it('keeps labels by their older names', async () => {
  await nodes.create('n', {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'arm64',
    'beta.kubernetes.io/arch': 'x',
  });
  await cluster.settle();
  expect((await nodes.get('n')).metadata.labels).toMatchObject({
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': 'arm64',
  });
});

it('evicts from one node in ten seconds', async () => {
  const dead = ['d1', 'd2'];
  for (const name of [...dead, 'a1', 'a2', 'a3']) {
    await nodes.create(name);
    await nodes.report(name);
  }
  await pass(60 * s, 'a1', 'a2', 'a3');
  const tainted = async (): Promise<number> => {
    const taints = await Promise.all(dead.map((name) => nodes.taints(name)));
    return taints.filter((names) => names.includes('unreachable:NoExecute')).length;
  };
  expect(await tainted()).toBe(1);
  await pass(10 * s, 'a1', 'a2', 'a3');
  expect(await tainted()).toBe(2);
});

it('evicts nobody when all nodes are silent, and begins slowly when one comes back', async () => {
  for (const name of ['x', 'y']) {
    await nodes.create(name);
    await nodes.report(name);
  }
  await pass(45 * s, 'y');
  await pass(15 * s);
  // One after the other: for a while only one of them was silent.
  expect(await nodes.taints('x')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  await pass(50 * s);
  for (const name of ['x', 'y']) expect(await nodes.taints(name)).toEqual(['unreachable:NoSchedule']);
  await pass(5 * s, 'y');
  expect(await nodes.taints('x')).toEqual(['unreachable:NoSchedule']);
  await pass(10 * s, 'y');
  expect(await nodes.taints('x')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
});

it('evicts nobody in a small zone most of whose nodes are silent, while other zones go on', async () => {
  const zone = (name: string) => ({ 'topology.kubernetes.io/zone': name });
  for (const name of ['a1', 'a2', 'a3', 'a4']) await nodes.create(name, zone('a'));
  for (const name of ['b1', 'b2']) await nodes.create(name, zone('b'));
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) await nodes.report(name);
  await pass(90 * s, 'a4', 'b2');
  for (const name of ['a1', 'a2', 'a3']) expect(await nodes.taints(name)).toEqual(['unreachable:NoSchedule']);
  expect(await nodes.taints('b1')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
});
