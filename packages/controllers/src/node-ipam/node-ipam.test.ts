import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { type NodeIpamOptions, newNodeIpamController } from './index.ts';

let cluster: TestCluster;
afterEach(() => cluster.stop());

async function start(options: NodeIpamOptions): Promise<void> {
  cluster = await TestCluster.start({ controllers: [newNodeIpamController(options)] });
  await cluster.settle();
}

const nodes = () => cluster.clients.core.v1.nodes();

async function create(...names: string[]): Promise<void> {
  for (const name of names) {
    await nodes().create({ metadata: { name } });
    await cluster.settle();
  }
}

const ranges = async (name: string): Promise<string[]> => (await nodes().get(name)).spec?.podCIDRs ?? [];
const patches = (): number => cluster.spy.writes.filter(({ method }) => method === 'PATCH').length;

it('assigns every node a range of each family outside the service CIDRs', async () => {
  await start({
    clusterCIDRs: ['10.0.0.0/22', 'fd00::/60'],
    serviceCIDRs: ['10.0.0.0/24'],
    nodeCIDRMaskSizeIPv6: 64,
  });
  await create('a', 'b');
  expect(await ranges('a')).toEqual(['10.0.1.0/24', 'fd00::/64']);
  expect(await ranges('b')).toEqual(['10.0.2.0/24', 'fd00:0:0:1::/64']);
  expect((await nodes().get('a')).spec?.podCIDR).toBe('10.0.1.0/24');
  expect(patches()).toBe(2);
}, 60_000);

it('restores assigned ranges after a restart, and reuses released ones', async () => {
  await start({ clusterCIDRs: ['10.0.0.0/22'] });
  await create('a', 'b');
  await cluster.stopControllers();
  await nodes().create({ metadata: { name: 'c' } });
  await nodes().delete('a');
  cluster.startControllers();
  await cluster.settle();
  expect(await ranges('c')).toEqual(['10.0.0.0/24']);
  await create('d', 'e');
  await nodes().delete('b');
  await cluster.settle();
  await create('f');
  expect(await ranges('f')).toEqual(['10.0.1.0/24']);
  cluster.spy.requests.length = 0;
  await nodes().patch('f', 'merge', { metadata: { labels: { a: 'b' } } });
  await cluster.settle();
  expect(cluster.spy.writes).toEqual([]);
});

it('records an event when no ranges are left, and assigns one when there is', async () => {
  await start({ clusterCIDRs: ['10.0.0.0/24', 'fd00::/64'], nodeCIDRMaskSizeIPv4: 25 });
  await create('a', 'b');
  expect(await ranges('b')).toEqual([]);
  expect(await cluster.events()).toContain('Normal CIDRNotAvailable Node/b: Node b status is now: CIDRNotAvailable');
  await nodes().delete('a');
  await cluster.advance(60_000, 10_000);
  // No IPv4 range was lost by the failed attempts.
  expect(await ranges('b')).toEqual([expect.stringMatching(/^10\.0\.0\.(0|128)\/25$/), 'fd00::/64']);
});

it('releases a range when it could not be assigned', async () => {
  await start({ clusterCIDRs: ['10.0.0.0/24'] });
  let failures = 3;
  cluster.spy.plan = ({ method, url }) => {
    if (method === 'PATCH' && url.includes('/nodes/') && failures-- > 0) throw newInternalError(new Error('no'));
  };
  await create('a');
  expect(await ranges('a')).toEqual([]);
  expect(await cluster.events()).toEqual([
    'Normal CIDRAssignmentFailed Node/a: Node a status is now: CIDRAssignmentFailed',
  ]);
  await cluster.advance(1000, 100);
  expect(await ranges('a')).toEqual(['10.0.0.0/24']);
});

it('does nothing without cluster CIDRs', async () => {
  await start({});
  await create('a');
  expect(await ranges('a')).toEqual([]);
});
