import { beforeEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { podGroupProtectionController } from './index.ts';

const controllers = [podGroupProtectionController];
let cluster: TestCluster;
const pods = () => cluster.clients.core.v1.pods('default');
const groups = () => cluster.clients.scheduling.v1alpha2.podGroups('default');

beforeEach(async () => {
  cluster = await TestCluster.start({
    controllers,
    server: {
      memory: true,
      disableAdmissionPlugins: ['ServiceAccount'],
      runtimeConfig: new Map([['scheduling.k8s.io/v1alpha2', 'true']]),
      featureGates: ['GenericWorkload=true'],
    },
  });
  await groups().create({ metadata: { name: 'team' }, spec: { schedulingPolicy: { basic: {} } } });
  return () => cluster.stop();
}, 60_000);

async function createPod(name: string, podGroupName?: string): Promise<void> {
  const schedulingGroup = podGroupName === undefined ? undefined : { podGroupName };
  const containers = [{ name: 'c', image: 'i' }];
  await pods().create({ metadata: { name }, spec: { containers, ...(schedulingGroup && { schedulingGroup }) } });
  await cluster.settle();
}

async function deleteGroup(): Promise<void> {
  await groups().delete('team');
  await cluster.settle();
}

const names = async (): Promise<(string | undefined)[]> => {
  await cluster.settle();
  return (await groups().list()).items.map(({ metadata }) => metadata.name);
};

it('a group without pods is deleted at once', async () => {
  expect((await groups().get('team')).metadata.finalizers).toEqual(['scheduling.k8s.io/podgroup-protection']);
  await createPod('alone');
  await createPod('other', 'another');
  await deleteGroup();
  expect(await names()).toEqual([]);
  expect(cluster.spy.writes).toHaveLength(1);
});

it('a group is kept until its last pod has terminated or is deleted', async () => {
  await createPod('a', 'team');
  await createPod('b', 'team');
  await deleteGroup();
  expect(await names()).toEqual(['team']);
  await pods().patchStatus('a', 'merge', { status: { phase: 'Succeeded' } });
  expect(await names()).toEqual(['team']);
  await pods().delete('b', { gracePeriodSeconds: 0 });
  expect(await names()).toEqual([]);
});

it('a group that is not being deleted is not changed', async () => {
  await createPod('a', 'team');
  await pods().delete('a', { gracePeriodSeconds: 0 });
  expect(await names()).toEqual(['team']);
  expect(cluster.spy.writes).toEqual([]);
});

it('deletions while the controller was stopped are handled after its start', async () => {
  await createPod('a', 'team');
  await deleteGroup();
  await cluster.stopControllers();
  await pods().delete('a', { gracePeriodSeconds: 0 });
  await createPod('a');
  cluster.startControllers();
  expect(await names()).toEqual([]);
});

it('without the resource the controller does not run', async () => {
  const other = await TestCluster.start({ controllers });
  await other.settle();
  expect(other.log).toEqual([
    'info "Skipping controller: the server lacks resources" controller="podgroup-protection-controller" missing=["scheduling.k8s.io/v1alpha2 podgroups"]',
  ]);
  expect(other.spy.requests.filter(({ url }) => url.includes('/pods'))).toEqual([]);
  await other.stop();
});
