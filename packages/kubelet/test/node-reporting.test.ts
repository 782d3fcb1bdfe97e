import type { Node } from '@coxswain/api/core/v1';
import { afterEach, expect, it } from 'vitest';
import type { NodeChanges, NodeSpec } from '../src/node/node-spec.ts';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
afterEach(() => nodes.stop());

const node = (): Promise<Node> => nodes.clients.core.v1.nodes().get('n1');
const start = async (spec: Omit<NodeSpec, 'name'>): Promise<void> => {
  nodes = await TestNodes.start([{ name: 'n1', ...spec }]);
};

it('a kubelet that does not register its node reports its status once another client has created it', async () => {
  await start({ register: false });
  await nodes.advance(60_000);
  await expect(node()).rejects.toThrow('nodes "n1" not found');
  await nodes.clients.core.v1.nodes().create({ metadata: { name: 'n1', labels: { by: 'somebody' } } });
  await nodes.advance(20_000);
  const { metadata, status } = await node();
  expect(metadata.labels).toEqual({ by: 'somebody' });
  expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
});

it('changes of the machine are reported as often as the configuration says', async () => {
  let changes: NodeChanges = {
    addresses: [{ type: 'InternalIP', address: '10.0.0.5' }],
    capacity: { cpu: '4', 'hugepages-2Mi': '1Gi' },
    allocatable: { cpu: '3' },
  };
  await start({ changes: async () => changes, reporting: { updateEveryMs: 4000, leaseDurationSeconds: 60 } });
  const lease = await nodes.clients.coordination.v1.leases('kube-node-lease').get('n1');
  expect(lease.spec?.leaseDurationSeconds).toBe(60);
  expect((await node()).status).toMatchObject({
    addresses: changes.addresses,
    capacity: { cpu: '4', 'hugepages-2Mi': '1Gi' },
    allocatable: { cpu: '3' },
  });
  changes = { addresses: [{ type: 'InternalIP', address: '10.0.0.6' }], capacity: { cpu: '8' }, allocatable: {} };
  await nodes.advance(5000);
  const { status } = await node();
  expect(status).toMatchObject({ addresses: changes.addresses, capacity: { cpu: '8' } });
  expect(status?.capacity).not.toHaveProperty('hugepages-2Mi');
});

it('labels that users have removed stay removed, and those of the platform are restored', async () => {
  await start({ labels: { role: 'db' }, keepLabels: true, controllerAttachDetach: false });
  expect((await node()).metadata.annotations).toBeUndefined();
  const labels = { role: null, 'kubernetes.io/os': 'windows' };
  await nodes.clients.core.v1.nodes().patch('n1', 'merge', { metadata: { labels } });
  await nodes.stopNodes();
  await nodes.startNodes();
  const after = (await node()).metadata.labels;
  expect(after).toMatchObject({ 'kubernetes.io/os': 'linux' });
  expect(after).not.toHaveProperty('role');
});
