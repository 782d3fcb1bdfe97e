import type { Container, Pod } from '@coxswain/api/core/v1';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { conditionsOf, containersOf } from './brief.ts';
import { podActions, web } from './pod-actions.ts';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await TestNodes.start([{ name: 'n1', capacity: { cpu: '2' } }]);
});
afterAll(() => nodes.stop());

const { create, remove } = podActions(() => nodes);

const cpu = (amount: string) => ({ requests: { cpu: amount } });
const sized = (amount: string): Container => ({ ...web, resources: cpu(amount) });

async function resize(name: string, amount: string, list = 'containers'): Promise<Pod> {
  const patch = { spec: { [list]: [{ name: 'web', resources: cpu(amount) }] } };
  await nodes.clients.core.v1.pods('default').patch(name, 'strategic-merge', patch, { subresource: 'resize' });
  await nodes.settle();
  return await nodes.pod(name);
}

const resizeConditions = (pod: Pod): string[] => conditionsOf(pod).filter((text) => text.startsWith('PodResize'));

it('a resize that fits on the node has events for its start and its completion', async () => {
  await create('grown', { containers: [sized('100m')] });
  const pod = await resize('grown', '200m');
  expect(resizeConditions(pod)).toEqual([]);
  const summary = '{"containers":[{"name":"web","resources":{"requests":{"cpu":"200m"}}}],"generation":2}';
  expect((await nodes.events('grown')).slice(-2)).toEqual([
    `ResizeStarted: Pod resize started: ${summary}`,
    `ResizeCompleted: Pod resize completed: ${summary}`,
  ]);
  await remove('grown');
});

it('a resize that does not fit is deferred, and the pod keeps its resources', async () => {
  await create('neighbour', { containers: [sized('1500m')] });
  await create('waits', { containers: [sized('100m')] });
  const pod = await resize('waits', '1');
  const why = "Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000";
  expect(resizeConditions(pod)).toEqual([`PodResizePending=True Deferred: ${why}`]);
  expect(pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')).toMatchObject({
    observedGeneration: 2,
    lastProbeTime: expect.any(String),
  });
  expect(pod.status).toMatchObject({
    observedGeneration: 2,
    allocatedResources: { cpu: '100m' },
    containerStatuses: [{ allocatedResources: { cpu: '100m' }, resources: cpu('100m') }],
  });
  const summary = `{"containers":[{"name":"web","resources":{"requests":{"cpu":"1"}}}],"generation":2,"error":"${why}"}`;
  expect(await nodes.events('waits')).toContain(`Warning ResizeDeferred: Pod resize OutOfcpu: ${summary}`);
  // A deferred resize does not reserve resources.
  expect((await create('other', { containers: [sized('300m')] })).status?.phase).toBe('Running');
  await remove('other');

  await remove('neighbour');
  const given = await nodes.pod('waits');
  expect(resizeConditions(given)).toEqual([]);
  expect(given.status?.containerStatuses).toMatchObject([{ allocatedResources: { cpu: '1' }, resources: cpu('1') }]);
  await remove('waits');
});

it('a deferred resize that is reverted is no longer pending', async () => {
  await create('neighbour', { containers: [sized('1500m')] });
  await create('reverted', { containers: [sized('100m')] });
  expect(resizeConditions(await resize('reverted', '1'))).toHaveLength(1);
  expect(resizeConditions(await resize('reverted', '100m'))).toEqual([]);
  expect(await nodes.events('reverted')).not.toContainEqual(expect.stringContaining('ResizeStarted'));
  await remove('reverted');
  await remove('neighbour');
});

it('a deferred resize is still pending after the kubelet has restarted', async () => {
  await create('neighbour', { containers: [sized('1500m')] });
  await create('kept', { containers: [sized('100m')] });
  await resize('kept', '1');
  await nodes.stopNodes();
  await nodes.startNodes();
  const pod = await nodes.pod('kept');
  expect(resizeConditions(pod)).toHaveLength(1);
  expect(pod.status?.containerStatuses).toMatchObject([{ allocatedResources: { cpu: '100m' } }]);
  await remove('neighbour');
  expect(resizeConditions(await nodes.pod('kept'))).toEqual([]);
  await remove('kept');
});

it('a container with resize policy RestartContainer is restarted', async () => {
  const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
  await create('restarted', { containers: [{ ...sized('100m'), resizePolicy }] });
  const pod = await resize('restarted', '200m');
  expect(containersOf(pod)).toEqual(['web running started ready (restarts 1, last Completed 0)']);
  expect(await nodes.events('restarted')).toContain('Killing: Container web resize requires restart');
  await remove('restarted');
});

const inits: Record<string, [Partial<Container>, Record<string, string>]> = {
  'sidecars are resized in place': [{ restartPolicy: 'Always' }, {}],
  'running init containers are resized in place': [{}, { 'web.run-for': '60s' }],
};
it.each(Object.entries(inits))('%s', async (_, [fields, script]) => {
  const init: Container = { ...sized('100m'), ...fields };
  await create('sidecar', { initContainers: [init], containers: [{ ...web, name: 'main' }] }, script);
  const pod = await resize('sidecar', '200m', 'initContainers');
  expect(pod.status?.initContainerStatuses).toMatchObject([{ resources: cpu('200m'), restartCount: 0 }]);
  expect(await nodes.events('sidecar')).toContainEqual(
    expect.stringContaining('ResizeCompleted: Pod resize completed'),
  );
  await remove('sidecar');
});

it('the resources of the pod as a whole are resized', async () => {
  const patch = { spec: { resources: cpu('200m') } };
  await create('whole', { resources: cpu('100m') });
  await nodes.clients.core.v1.pods('default').patch('whole', 'strategic-merge', patch, { subresource: 'resize' });
  await nodes.settle();
  const { status } = await nodes.pod('whole');
  expect(status).toMatchObject({ allocatedResources: { cpu: '200m' }, resources: cpu('200m') });
  await remove('whole');
});
