import type { Taint, Toleration } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { TestNodes } from '../node-lifecycle/nodes.test-data.ts';
import { taintEvictionController } from './index.ts';
import { toleratedForMs } from './toleration-time.ts';

const s = 1000;
const taint = (key: string): Taint => ({ key, effect: 'NoExecute' });
const tolerates = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

describe('toleratedForMs', () => {
  it.each([
    ['of a taint that is not tolerated', ['a'], [tolerates('b')], undefined],
    ['of a tolerated taint', ['a'], [tolerates('a')], Number.POSITIVE_INFINITY],
    ['with tolerationSeconds', ['a'], [tolerates('a', 10)], 10 * s],
    ['with negative tolerationSeconds', ['a'], [tolerates('a', -5)], 0],
    ['of several taints: the shortest time', ['a', 'b'], [tolerates('a', 10), tolerates('b', 5)], 5 * s],
    ['of several taints, one of them without a limit', ['a', 'b'], [tolerates('a', 10), tolerates('b')], 10 * s],
    ['with several tolerations: the first one', ['a'], [tolerates('a', 10), tolerates('a', 5)], 10 * s],
    ['of several taints, one of them not tolerated', ['a', 'b'], [tolerates('a', 10)], undefined],
  ])('%s', (_, taints, tolerations, ms) => expect(toleratedForMs(taints.map(taint), tolerations)).toBe(ms));
});

describe('eviction', () => {
  let cluster: TestCluster;
  let nodes: TestNodes;
  beforeEach(async () => {
    cluster = await TestCluster.start({ controllers: [taintEvictionController] });
    nodes = new TestNodes(cluster);
    await nodes.create('n');
    await cluster.settle();
  }, 60_000);
  afterEach(() => cluster.stop());

  const setTaints = async (...keys: string[]): Promise<void> => {
    await cluster.clients.core.v1.nodes().patch('n', 'merge', { spec: { taints: keys.map(taint) } });
    await cluster.settle();
  };
  const isGoing = async (pod: string): Promise<boolean> =>
    (await nodes.pod(pod)).metadata.deletionTimestamp !== undefined;
  const marking = (pod: string) => `Normal TaintManagerEviction Pod/${pod}: Marking for deletion Pod default/${pod}`;
  const cancelling = (pod: string) =>
    `Normal TaintManagerEviction Pod/${pod}: Cancelling deletion of Pod default/${pod}`;

  it('is immediate for pods that do not tolerate the taint', async () => {
    await nodes.runPod('stays', 'n', [tolerates('a')]);
    await nodes.runPod('goes', 'n');
    await setTaints('a');
    expect(await isGoing('stays')).toBe(false);
    expect(await isGoing('goes')).toBe(true);
    expect((await nodes.pod('goes')).status?.conditions?.at(-1)).toMatchObject({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    expect(await cluster.events()).toEqual([marking('goes')]);
    cluster.spy.requests.length = 0;
    await cluster.advance(60 * s);
    expect(cluster.spy.writes).toEqual([]);
  });

  it('follows after tolerationSeconds, counted from the first taint', async () => {
    await nodes.runPod('p', 'n', [tolerates('a', 30), tolerates('b', 30)]);
    await setTaints('a');
    await cluster.advance(20 * s);
    await setTaints('a', 'b');
    await cluster.advance(9 * s);
    expect(await isGoing('p')).toBe(false);
    await cluster.advance(1 * s);
    expect(await isGoing('p')).toBe(true);
    expect(await cluster.events()).toEqual([marking('p')]);
  });

  it('is cancelled when the taint is removed', async () => {
    await nodes.runPod('p', 'n', [tolerates('a', 30)]);
    await setTaints('a');
    await cluster.advance(20 * s);
    await setTaints();
    expect(await cluster.events()).toEqual([cancelling('p')]);
    await cluster.advance(60 * s);
    expect(await isGoing('p')).toBe(false);
  });

  it('is immediate when a taint is added that is not tolerated', async () => {
    await nodes.runPod('p', 'n', [tolerates('a', 30)]);
    await setTaints('a');
    await setTaints('a', 'b');
    expect(await isGoing('p')).toBe(true);
    expect(await cluster.events()).toEqual([cancelling('p'), marking('p')]);
  });

  it('is not earlier when a tolerated taint is added, even with zero tolerationSeconds', async () => {
    await nodes.runPod('p', 'n', [tolerates('a', 30), tolerates('b', 0)]);
    await setTaints('a');
    await setTaints('a', 'b');
    await cluster.advance(29 * s);
    expect(await isGoing('p')).toBe(false);
    expect(await cluster.events()).toEqual([]);
    await cluster.advance(1 * s);
    expect(await isGoing('p')).toBe(true);
    expect(await cluster.events()).toEqual([marking('p')]);
  });

  it('is cancelled when all remaining taints are tolerated without a limit', async () => {
    await nodes.runPod('p', 'n', [tolerates('a', 30), tolerates('b')]);
    await setTaints('a', 'b');
    await setTaints('b');
    expect(await cluster.events()).toEqual([cancelling('p')]);
    await cluster.advance(60 * s);
    expect(await isGoing('p')).toBe(false);
  });

  it('does not affect a later pod of the same name', async () => {
    await nodes.runPod('p', 'n', [tolerates('a', 30)]);
    await setTaints('a');
    await cluster.advance(20 * s);
    await cluster.clients.core.v1.pods('default').delete('p', { gracePeriodSeconds: 0 });
    await nodes.runPod('p', 'n', [tolerates('a', 30)]);
    await cluster.settle();
    expect(await cluster.events()).toEqual([cancelling('p')]);
    await cluster.advance(20 * s);
    expect(await isGoing('p')).toBe(false);
    await cluster.advance(10 * s);
    expect(await isGoing('p')).toBe(true);
  });

  it('applies to pods created on a tainted node, and its time restarts with the controller', async () => {
    await setTaints('a');
    await nodes.runPod('p', 'n', [tolerates('a', 30)]);
    await cluster.settle();
    await cluster.advance(20 * s);
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.settle();
    await cluster.advance(29 * s);
    expect(await isGoing('p')).toBe(false);
    await cluster.advance(1 * s);
    expect(await isGoing('p')).toBe(true);
  });

  it('applies to pods that are bound to a tainted node', async () => {
    await setTaints('a');
    const pods = cluster.clients.core.v1.pods('default');
    await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    await cluster.settle();
    await pods.bind('p', { target: { kind: 'Node', name: 'n' } });
    await cluster.settle();
    expect(await isGoing('p')).toBe(true);
  });

  it('is retried until it succeeds', async () => {
    let failures = 8;
    cluster.spy.plan = ({ method }) => {
      if (method === 'DELETE' && failures-- > 0) throw newInternalError(new Error('no'));
    };
    await nodes.runPod('p', 'n');
    await setTaints('a');
    expect(await isGoing('p')).toBe(false);
    await cluster.advance(10 * s, 1 * s);
    expect(await isGoing('p')).toBe(true);
    expect(await cluster.events()).toEqual([marking('p')]);
    expect(cluster.spy.writes.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });
});
