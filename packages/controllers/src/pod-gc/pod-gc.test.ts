import type { Node, Pod, PodSpec, PodStatus } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import type { ObjectMeta } from '@coxswain/apimachinery/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { excessTerminated, terminatingOutOfService } from './garbage.ts';
import { newPodGarbageCollectorController } from './index.ts';

describe('the pod garbage collector', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await TestCluster.start({
      controllers: [newPodGarbageCollectorController({ terminatedPodThreshold: 2 })],
    });
    await cluster.settle();
  });
  afterEach(() => cluster.stop());

  const pods = () => cluster.clients.core.v1.pods('default');
  const create = async (name: string, spec: Partial<PodSpec> = {}, status: PodStatus = {}): Promise<void> => {
    // The finalizer keeps the deleted pod observable.
    const metadata = { name, finalizers: ['example.com/look'] };
    await pods().create({ metadata, spec: { containers: [{ name: 'main', image: 'x:1' }], ...spec } });
    await pods().patch(name, 'strategic-merge', { status }, { subresource: 'status' });
  };
  const createNode = (name: string, spec: Node['spec'] = {}) =>
    cluster.clients.core.v1.nodes().create({ metadata: { name }, spec });
  const deleted = async (): Promise<string[]> => {
    const { items } = await pods().list();
    return items
      .filter(({ metadata }) => metadata.deletionGracePeriodSeconds === 0)
      .map(({ metadata }) => metadata.name!);
  };

  it('deletes terminated pods beyond its threshold, oldest first', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await create(name, {}, { phase: name === 'b' ? 'Running' : name === 'c' ? 'Failed' : 'Succeeded' });
      await cluster.advance(1000);
    }
    await cluster.advance(20_000);
    expect(await deleted()).toEqual(['a']);
    expect((await pods().get('a')).status?.phase).toBe('Succeeded');
  });

  it('deletes pods of deleted nodes after the quarantine period', async () => {
    await createNode('node-1');
    await createNode('node-2');
    await create('on-1', { nodeName: 'node-1' }, { phase: 'Running' });
    await create('on-2', { nodeName: 'node-2' }, { phase: 'Running' });
    await cluster.advance(60_000, 20_000);
    await cluster.clients.core.v1.nodes().delete('node-1');
    await cluster.advance(40_000, 20_000);
    expect(await deleted()).toEqual([]);
    await cluster.advance(20_000);
    expect(await deleted()).toEqual(['on-1']);
    const { metadata, status } = await pods().get('on-1');
    expect(status).toMatchObject({ phase: 'Failed', observedGeneration: 1 });
    expect(metadata.deletionGracePeriodSeconds).toBe(0);
    expect(status?.conditions).toEqual([
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
        lastProbeTime: null,
        lastTransitionTime: '2026-01-01T00:02:00Z',
        observedGeneration: 1,
      },
    ]);
  });

  it('keeps pods whose node reappears or cannot be read', async () => {
    await create('early', { nodeName: 'node-1' }, { phase: 'Running' });
    await cluster.advance(40_000, 20_000);
    await createNode('node-1');
    await cluster.advance(40_000, 20_000);
    await create('unsure', { nodeName: 'node-2' }, { phase: 'Running' });
    cluster.spy.plan = ({ url }) => {
      if (url.includes('/nodes/node-2')) throw newInternalError(new Error('broken'));
    };
    await cluster.advance(120_000, 20_000);
    expect(await deleted()).toEqual([]);
  });

  it('deletes terminating pods that were never scheduled', async () => {
    await create('waiting');
    await create('going', { schedulingGates: [{ name: 'example.com/gate' }] });
    await pods().delete('going', { gracePeriodSeconds: 30 });
    await cluster.advance(20_000);
    expect(await deleted()).toEqual(['going']);
    expect((await pods().get('going')).status?.phase).toBe('Failed');
  });

  it('deletes terminating pods of nodes that are out of service', async () => {
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' as const }];
    await createNode('dead', { taints });
    await create('going', { nodeName: 'dead' }, { phase: 'Running' });
    await create('staying', { nodeName: 'dead' }, { phase: 'Running' });
    await pods().delete('going');
    await cluster.advance(20_000);
    expect(await deleted()).toEqual(['going']);
    const { status } = await pods().get('going');
    expect([status?.phase, status?.conditions]).toEqual(['Failed', undefined]);
  });

  it('causes no writes without garbage, and stops on abort', async () => {
    await createNode('node-1');
    await create('fine', { nodeName: 'node-1' }, { phase: 'Running' });
    await cluster.advance(200_000, 20_000);
    expect(cluster.spy.writes).toEqual([]);
    await cluster.stopControllers();
    expect(cluster.clock.pending).toBe(0);
  });
});

const podOf = (name: string, status: PodStatus, metadata: ObjectMeta = {}): Pod => ({
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: { containers: [], nodeName: 'n' },
  status,
});

it('excessTerminated returns evicted pods first, then by age and name', () => {
  const pods = [
    podOf('young', { phase: 'Succeeded' }, { creationTimestamp: '2026-01-02T00:00:00Z' }),
    podOf('b', { phase: 'Failed' }),
    podOf('a', { phase: 'Succeeded' }),
    podOf('evicted', { phase: 'Failed', reason: 'Evicted' }, { creationTimestamp: '2026-01-03T00:00:00Z' }),
    podOf('running', { phase: 'Running' }),
  ];
  const names = (threshold: number) => excessTerminated(pods, threshold).map(({ metadata }) => metadata.name);
  expect(names(0)).toEqual(['evicted', 'a', 'b', 'young']);
  expect(names(2)).toEqual(['evicted', 'a']);
  expect(names(4)).toEqual([]);
});

it.each<{ name: string; node: Node | undefined; isStuck: boolean }>([
  { name: 'out of service', node: nodeOf('out-of-service', 'Unknown'), isStuck: true },
  { name: 'out of service, yet ready', node: nodeOf('out-of-service', 'True'), isStuck: false },
  { name: 'not ready', node: nodeOf('not-ready', 'False'), isStuck: false },
  { name: 'unknown', node: undefined, isStuck: false },
])('terminatingOutOfService with a node that is $name', ({ node, isStuck }) => {
  const pod = podOf('p', { phase: 'Running' }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  expect(terminatingOutOfService([pod], () => node)).toEqual(isStuck ? [pod] : []);
});

function nodeOf(taint: string, ready: 'True' | 'False' | 'Unknown'): Node {
  return {
    metadata: { name: 'n' },
    spec: { taints: [{ key: `node.kubernetes.io/${taint}`, effect: 'NoExecute' }] },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}
