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

/** Advances the clock while these kubelets keep reporting. */
async function pass(ms: number, ...alive: string[]): Promise<void> {
  for (let left = ms; left > 0; left -= 5 * s) {
    for (const name of alive) await nodes.report(name);
    await cluster.advance(Math.min(left, 5 * s));
  }
  // Taints follow their cause with a short delay.
  await cluster.advance(200);
}

describe('a node that stops reporting', () => {
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

  it('is unreachable after fifty seconds, and its pods are evicted when they no longer tolerate the taint', async () => {
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

  it('is healthy while it renews its lease, even if its status does not change', async () => {
    await nodes.renew('dead');
    for (let i = 0; i < 3; i++) {
      await pass(40 * s, 'alive');
      await nodes.renew('dead');
    }
    expect(await nodes.taints('dead')).toEqual([]);
    await pass(60 * s, 'alive');
    expect(await nodes.taints('dead')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  it('but recovers in time keeps its pods', async () => {
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

  it('but reports NotReady later changes its taint at once', async () => {
    await pass(60 * s, 'alive');
    await nodes.report('dead', { Ready: 'False' });
    await pass(5 * s, 'alive');
    expect(await nodes.taints('dead')).toEqual(['not-ready:NoExecute', 'not-ready:NoSchedule']);
  });

  it('has no ready pods, including later pods and those whose update failed at first', async () => {
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

  it('is detected in spite of conflicting changes', async () => {
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

  it('keeps its taints after a restart, and causes no further writes', async () => {
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

  it('is removed when it is deleted', async () => {
    await cluster.clients.core.v1.nodes().delete('dead');
    await pass(5 * s, 'alive');
    expect((await cluster.events()).at(-1)).toBe(
      'Normal RemovingNode Node/dead: Node dead event: Removing Node dead from Controller',
    );
  });
});

it('waits a minute for the first report of a node', async () => {
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

it('taints nodes according to their conditions and spec.unschedulable', async () => {
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

it('sets deprecated labels', async () => {
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

it('taints one node every ten seconds', async () => {
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

it('evicts no pods when all nodes are silent, and starts slowly when one recovers', async () => {
  for (const name of ['x', 'y']) {
    await nodes.create(name);
    await nodes.report(name);
  }
  await pass(45 * s, 'y');
  await pass(15 * s);
  // x went silent before y, so for a while only x was silent.
  expect(await nodes.taints('x')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  await pass(50 * s);
  for (const name of ['x', 'y']) expect(await nodes.taints(name)).toEqual(['unreachable:NoSchedule']);
  await pass(5 * s, 'y');
  expect(await nodes.taints('x')).toEqual(['unreachable:NoSchedule']);
  await pass(10 * s, 'y');
  expect(await nodes.taints('x')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
});

it('evicts no pods in a small zone with mostly silent nodes, but does in other zones', async () => {
  const zone = (name: string) => ({ 'topology.kubernetes.io/zone': name });
  for (const name of ['a1', 'a2', 'a3', 'a4']) await nodes.create(name, zone('a'));
  for (const name of ['b1', 'b2']) await nodes.create(name, zone('b'));
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) await nodes.report(name);
  await pass(90 * s, 'a4', 'b2');
  for (const name of ['a1', 'a2', 'a3']) expect(await nodes.taints(name)).toEqual(['unreachable:NoSchedule']);
  expect(await nodes.taints('b1')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
});
