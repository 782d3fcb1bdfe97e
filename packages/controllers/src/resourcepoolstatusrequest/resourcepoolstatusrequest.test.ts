import type { ResourceSlice } from '@coxswain/api/resource/v1';
import { beforeEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { resourcePoolStatusRequestController } from './index.ts';

const driver = 'gpu.example.com';
const minute = 60_000;
let cluster: TestCluster;
const requests = () => cluster.clients.resource.v1alpha3.resourcePoolStatusRequests();

beforeEach(async () => {
  cluster = await TestCluster.start({
    controllers: [resourcePoolStatusRequestController],
    server: {
      memory: true,
      runtimeConfig: new Map([['resource.k8s.io/v1alpha3', 'true']]),
      featureGates: ['DRAResourcePoolStatus=true'],
    },
  });
  return () => cluster.stop();
}, 60_000);

async function publish(
  name: string,
  pool: { name: string; generation?: number; slices?: number },
  devices: string[],
  where: Partial<ResourceSlice['spec']> = { nodeName: 'n1' },
): Promise<void> {
  await cluster.clients.resource.v1.resourceSlices().create({
    metadata: { name },
    spec: {
      driver,
      ...where,
      pool: { name: pool.name, generation: pool.generation ?? 1, resourceSliceCount: pool.slices ?? 1 },
      devices: devices.map((device) => ({ name: device })),
    },
  });
}

async function allocate(name: string, pool: string, devices: string[]): Promise<void> {
  const claims = cluster.clients.resource.v1.resourceClaims('default');
  await claims.create({
    metadata: { name },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count: devices.length } }] } },
  });
  const results = devices.map((device) => ({ request: 'r', driver, pool, device }));
  await claims.patchStatus(name, 'merge', { status: { allocation: { devices: { results } } } });
}

async function ask(name: string, spec: { poolName?: string; limit?: number } = {}) {
  await requests().create({ metadata: { name }, spec: { driver, ...spec } });
  await cluster.settle();
  return (await requests().get(name)).status;
}

it('a request is answered once, with all pools of the driver', async () => {
  await publish('a-old', { name: 'a', generation: 1 }, ['d1', 'd2', 'd3', 'd4']);
  await publish('a-1', { name: 'a', generation: 2, slices: 2 }, ['d1', 'd2']);
  await publish('a-2', { name: 'a', generation: 2, slices: 2 }, ['d3']);
  await publish('b', { name: 'b' }, ['d1'], { allNodes: true });
  await allocate('c', 'a', ['d1', 'd3']);
  await cluster.settle();
  const status = await ask('q');
  expect(status).toEqual({
    poolCount: 2,
    pools: [
      {
        driver,
        poolName: 'a',
        generation: 2,
        nodeName: 'n1',
        resourceSliceCount: 2,
        totalDevices: 3,
        allocatedDevices: 2,
        availableDevices: 1,
        unavailableDevices: 0,
      },
      {
        driver,
        poolName: 'b',
        generation: 1,
        resourceSliceCount: 1,
        totalDevices: 1,
        allocatedDevices: 0,
        availableDevices: 1,
        unavailableDevices: 0,
      },
    ],
    conditions: [
      {
        type: 'Complete',
        status: 'True',
        lastTransitionTime: expect.any(String),
        reason: 'CalculationComplete',
        message: 'Calculated status for 2 pools',
      },
    ],
  });
  await allocate('more', 'b', ['d1']);
  await cluster.settle();
  expect((await requests().get('q')).status).toEqual(status);
});

it('a request may select one pool, a limited number, or a pool that does not exist', async () => {
  for (const name of ['a', 'b', 'c']) await publish(name, { name }, ['d1']);
  await cluster.settle();
  expect((await ask('one', { poolName: 'b' }))?.pools?.map(({ poolName }) => poolName)).toEqual(['b']);
  const some = await ask('some', { limit: 2 });
  expect([some?.poolCount, some?.pools?.map(({ poolName }) => poolName)]).toEqual([3, ['a', 'b']]);
  expect(await ask('none', { poolName: 'z' })).toMatchObject({
    poolCount: 0,
    conditions: [{ type: 'Complete', message: 'Calculated status for 0 pools' }],
  });
});

it('incomplete pools are retried a few times', async () => {
  await publish('a-1', { name: 'a', slices: 2 }, ['d1']);
  await cluster.settle();
  expect(await ask('in-time')).toBeUndefined();
  await publish('a-2', { name: 'a', slices: 2 }, ['d2']);
  await cluster.advance(100, 10);
  expect((await requests().get('in-time')).status?.pools?.[0]?.totalDevices).toBe(2);

  await publish('b-1', { name: 'b', slices: 2 }, ['d1']);
  await cluster.settle();
  expect(await ask('late')).toBeUndefined();
  await cluster.advance(10_000, 1000);
  await publish('b-2', { name: 'b', slices: 2 }, ['d2']);
  await cluster.advance(60_000, 10_000);
  expect((await requests().get('late')).status).toBeUndefined();
  expect(cluster.log.at(-1)).toContain('incomplete pools detected, requeueing');
});

it('requests are deleted an hour after their answer, or a day after their creation without one', async () => {
  await publish('a', { name: 'a', slices: 2 }, ['d1']);
  await cluster.settle();
  await ask('waiting');
  await ask('answered', { poolName: 'z' });
  const names = async () => (await requests().list()).items.map(({ metadata }) => metadata.name);
  await cluster.advance(60 * minute, 10 * minute);
  expect(await names()).toEqual(['answered', 'waiting']);
  await cluster.advance(10 * minute);
  expect(await names()).toEqual(['waiting']);
  await cluster.advance(23 * 60 * minute, 30 * minute);
  expect(await names()).toEqual([]);
});
