import type { ControllerRevision, StatefulSet, StatefulSetSpec, StatefulSetStatus } from '@coxswain/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster, type TestClusterOptions } from '../../test/test-cluster.ts';
import { revisionData, templateIn } from '../framework/controller-revision.ts';
import { Pods } from '../replicaset/pods.test-data.ts';
import { statefulSetController } from './index.ts';

let cluster: TestCluster;
let pods: Pods;
async function startCluster(server: TestClusterOptions['server'] = {}): Promise<void> {
  cluster = await TestCluster.start({ controllers: [statefulSetController], server });
  pods = new Pods(cluster);
}
beforeEach(() => startCluster());
afterEach(() => cluster.stop());

const sets = () => cluster.clients.apps.v1.statefulSets('default');
const podClient = () => cluster.clients.core.v1.pods('default');
const claimClient = () => cluster.clients.core.v1.persistentVolumeClaims('default');
const revisionClient = () => cluster.clients.apps.v1.controllerRevisions('default');

const labels = { app: 'web' };
const templateOf = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'web', image }] },
});
const template = templateOf('web:1');
const claimTemplate: PersistentVolumeClaim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

/** The set `web`. */
async function create(spec: Partial<StatefulSetSpec> = {}): Promise<StatefulSet> {
  const created = await sets().create({
    metadata: { name: 'web' },
    spec: { replicas: 3, serviceName: 'web', selector: { matchLabels: labels }, template, ...spec },
  });
  await cluster.settle();
  return created;
}

async function patch(spec: Partial<StatefulSetSpec>): Promise<void> {
  await sets().patch('web', 'merge', { spec });
  await cluster.settle();
}

const status = async (): Promise<StatefulSetStatus | undefined> => (await sets().get('web')).status;
const nameOf = ({ metadata }: Pod | PersistentVolumeClaim | ControllerRevision): string => metadata.name!;
const names = async (): Promise<string[]> => (await pods.staying()).map(nameOf);
const imageOf = ({ spec }: Pod): string => `${spec!.containers[0]!.image}`;
const images = async (): Promise<string[]> =>
  (await pods.list()).map((pod) => `${nameOf(pod)} ${imageOf(pod)}${pod.metadata.deletionTimestamp ? ' going' : ''}`);
const run = async (...of: string[]): Promise<void> =>
  pods.run((await pods.list()).filter((pod) => of.includes(nameOf(pod))));
const stall = async (...of: string[]): Promise<void> =>
  pods.run(
    (await pods.list()).filter((pod) => of.includes(nameOf(pod))),
    false,
  );
const claims = async (): Promise<PersistentVolumeClaim[]> => (await claimClient().list()).items;
const revisions = async (): Promise<ControllerRevision[]> =>
  (await revisionClient().list()).items.sort((a, b) => a.revision - b.revision);
const written = (method: string, path: RegExp): number =>
  cluster.spy.writes.filter((seen) => seen.method === method && path.test(seen.url)).length;
const told = async (word: string): Promise<string[]> =>
  (await cluster.events()).filter((event) => event.includes(word));

async function fail(name: string, phase: 'Failed' | 'Succeeded' = 'Failed'): Promise<void> {
  await podClient().patch(name, 'merge', { status: { phase } }, { subresource: 'status' });
  await cluster.settle();
}

async function expectIdle(): Promise<void> {
  const before = cluster.spy.writes.length;
  await cluster.advance(3_600_000, 600_000);
  expect(cluster.spy.writes.slice(before)).toEqual([]);
}

describe('a StatefulSet', () => {
  it('makes one pod after the other, each with its name and its claim', async () => {
    const { metadata } = await sets().create({
      metadata: { name: 'web', annotations: { note: 'a' } },
      spec: {
        replicas: 2,
        serviceName: 'web',
        selector: { matchLabels: labels },
        template: {
          metadata: { labels: { app: 'web', tier: 'x' }, annotations: { h: 'a<b>&c' } },
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'web', image: 'web:1' }] },
        },
        volumeClaimTemplates: [{ ...claimTemplate, metadata: { name: 'data', labels: { l: '1' } } }],
      },
    });
    await cluster.settle();
    expect(await names()).toEqual(['web-0']);
    const ownerReferences = [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        name: 'web',
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ];
    const [pod] = await pods.list();
    // The name is upstream's for the very same set.
    const revision = 'web-889786488';
    expect(pod!.metadata).toMatchObject({
      generateName: 'web-',
      annotations: { h: 'a<b>&c' },
      ownerReferences,
    });
    expect(pod!.metadata.labels).toEqual({
      app: 'web',
      tier: 'x',
      'apps.kubernetes.io/pod-index': '0',
      'controller-revision-hash': revision,
      'statefulset.kubernetes.io/pod-name': 'web-0',
    });
    expect(pod!.spec).toMatchObject({
      hostname: 'web-0',
      subdomain: 'web',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }],
    });
    const [claim] = await claims();
    expect(claim!.metadata).toMatchObject({ name: 'data-web-0', labels: { app: 'web', l: '1' } });
    expect(claim!.metadata.ownerReferences).toBeUndefined();
    expect(await revisions()).toMatchObject([
      {
        metadata: {
          name: revision,
          annotations: { note: 'a' },
          labels: { app: 'web', tier: 'x', 'controller.kubernetes.io/hash': '889786488' },
          ownerReferences,
        },
        revision: 1,
      },
    ]);
    const revisionsAre = { currentRevision: revision, updateRevision: revision, collisionCount: 0 };
    expect(await status()).toEqual({
      observedGeneration: 1,
      replicas: 1,
      availableReplicas: 0,
      currentReplicas: 1,
      updatedReplicas: 1,
      ...revisionsAre,
    });

    await stall('web-0');
    expect(await names()).toEqual(['web-0']);
    await run('web-0');
    expect(await names()).toEqual(['web-0', 'web-1']);
    await run('web-1');
    expect(await status()).toEqual({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      ...revisionsAre,
    });
    expect(await cluster.events()).toEqual([
      'Normal SuccessfulCreate StatefulSet/web: Create Claim data-web-0 Pod web-0 in StatefulSet web success',
      'Normal SuccessfulCreate StatefulSet/web: Create Pod web-0 in StatefulSet web successful',
      'Normal SuccessfulCreate StatefulSet/web: Create Claim data-web-1 Pod web-1 in StatefulSet web success',
      'Normal SuccessfulCreate StatefulSet/web: Create Pod web-1 in StatefulSet web successful',
    ]);
    expect(cluster.log).toEqual([]);
    await expectIdle();
  });

  it('makes all pods at once where their order does not matter, and deletes them so', async () => {
    await create({ podManagementPolicy: 'Parallel' });
    expect(await names()).toEqual(['web-0', 'web-1', 'web-2']);
    expect(await status()).toMatchObject({ replicas: 3, currentReplicas: 3, updatedReplicas: 3, availableReplicas: 0 });
    await stall('web-0', 'web-1');
    await patch({ replicas: 1 });
    expect(await names()).toEqual(['web-0']);
    await patch({ replicas: 0 });
    expect(await names()).toEqual([]);
    await expectIdle();
  });

  it('numbers its pods from where it is told', async () => {
    await create({ replicas: 2, ordinals: { start: 5 } });
    await pods.runAll();
    expect(await names()).toEqual(['web-5', 'web-6']);
    await patch({ ordinals: { start: 6 } });
    await pods.runAll();
    expect(await names()).toEqual(['web-6', 'web-7']);
    expect((await pods.list())[1]!.metadata.labels).toMatchObject({ 'apps.kubernetes.io/pod-index': '7' });
    await expectIdle();
  });

  it('replaces pods that have ended, and waits until they are gone', async () => {
    await create();
    await pods.runAll();
    const [, second] = await pods.list();
    await pods.bind([second!]);
    await podClient().patch('web-1', 'merge', { metadata: { finalizers: ['example.com/hold'] } });
    await fail('web-1');
    expect((await podClient().get('web-1')).metadata.deletionTimestamp).toBeDefined();
    await podClient().patch('web-1', 'merge', { metadata: { finalizers: [] } });
    await pods.reap();
    expect((await podClient().get('web-1')).metadata.uid).not.toBe(second!.metadata.uid);
    await pods.runAll();
    await fail('web-2', 'Succeeded');
    await pods.reap();
    await pods.runAll();
    expect(await status()).toMatchObject({ replicas: 3, readyReplicas: 3 });
    expect(await told('Delete')).toEqual([
      'Normal SuccessfulDelete StatefulSet/web: Delete Pod web-1 in StatefulSet web successful',
      'Normal SuccessfulDelete StatefulSet/web: Delete Pod web-2 in StatefulSet web successful',
    ]);
    expect(written('DELETE', /pods/)).toBe(2);
    await expectIdle();
  });

  it('counts a pod as available once it has been ready for long enough, and goes on only then', async () => {
    await create({ replicas: 2, minReadySeconds: 10 });
    await run('web-0');
    expect(await status()).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    await cluster.advance(9000);
    expect(await names()).toEqual(['web-0']);
    await cluster.advance(1000);
    expect(await names()).toEqual(['web-0', 'web-1']);
    await run('web-1');
    await cluster.advance(10_000);
    expect(await status()).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    await expectIdle();
  });

  it('leaves its pods alone once it is being deleted, but counts them', async () => {
    await create();
    await run('web-0');
    await sets().delete('web', { propagationPolicy: 'Foreground' });
    await cluster.settle();
    await run('web-1');
    await podClient().delete('web-0');
    await revisionClient().delete(nameOf((await revisions())[0]!));
    await cluster.settle();
    expect(await names()).toEqual(['web-1']);
    expect(await revisions()).toEqual([]);
    expect(cluster.log).toEqual([]);
    await expectIdle();
  });
});

describe('scaling down', () => {
  it('takes the highest pods first, one after the other', async () => {
    await create();
    await pods.runAll();
    await pods.bind(await pods.list());
    await patch({ replicas: 1 });
    expect(await names()).toEqual(['web-0', 'web-1']);
    await pods.reap();
    expect(await names()).toEqual(['web-0']);
    await pods.reap();
    expect(await status()).toMatchObject({ replicas: 1, currentReplicas: 1 });
    await expectIdle();
  });

  it('waits while a pod that stays is not ready', async () => {
    await create();
    await pods.runAll();
    await stall('web-0');
    await patch({ replicas: 1 });
    expect(await names()).toEqual(['web-0', 'web-1', 'web-2']);
    await run('web-0');
    expect(await names()).toEqual(['web-0']);
  });

  it('waits while two that go are not ready, and goes on when only the highest is not', async () => {
    await create();
    await pods.runAll();
    await stall('web-1', 'web-2');
    await patch({ replicas: 1 });
    expect(await names()).toEqual(['web-0', 'web-1', 'web-2']);
    await run('web-1');
    expect(await names()).toEqual(['web-0']);
  });
});

describe('a rolling update', () => {
  it('replaces pods from the highest down, each when the last is available', async () => {
    await create();
    await pods.runAll();
    await pods.bind(await pods.list());
    const [old] = await revisions();
    await patch({ template: templateOf('web:2') });
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1 going']);
    await pods.reap();
    const [, next] = await revisions();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:2']);
    expect(await status()).toEqual({
      observedGeneration: 2,
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: nameOf(old!),
      updateRevision: nameOf(next!),
      collisionCount: 0,
    });
    await run('web-2');
    await pods.reap();
    await run('web-1');
    await pods.reap();
    expect(await images()).toEqual(['web-0 web:2', 'web-1 web:2', 'web-2 web:2']);
    expect(await status()).toMatchObject({ currentRevision: nameOf(old!), updatedReplicas: 3 });
    await run('web-0');
    expect(await status()).toMatchObject({ currentRevision: nameOf(next!), currentReplicas: 3, updatedReplicas: 3 });
    expect(await told('Delete')).toEqual(
      [2, 1, 0].map(
        (it) => `Normal SuccessfulDelete StatefulSet/web: Delete Pod web-${it} in StatefulSet web successful`,
      ),
    );
    expect(written('DELETE', /pods/)).toBe(3);
    await expectIdle();
  });

  it('leaves pods below the partition as they are, also when they are made again', async () => {
    await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    await pods.runAll();
    await patch({ template: templateOf('web:2') });
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:2']);
    expect(await status()).toMatchObject({ currentReplicas: 2, updatedReplicas: 1, readyReplicas: 3 });
    await podClient().delete('web-0');
    await cluster.settle();
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:2']);
    await patch({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } });
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:2', 'web-1 web:2', 'web-2 web:2']);
    await expectIdle();
  });

  it('that is undone makes the old revision the newest again', async () => {
    await create({ replicas: 1 });
    await pods.runAll();
    await patch({ template: templateOf('web:2') });
    await pods.runAll();
    const [first] = await revisions();
    // What `kubectl rollout undo` does.
    await sets().patch('web', 'strategic-merge', first!.data!);
    await cluster.settle();
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:1']);
    expect((await revisions()).map((one) => `${one.revision} ${nameOf(one)}`)).toEqual([
      expect.stringMatching(/^2 /),
      `3 ${nameOf(first!)}`,
    ]);
    expect(await status()).toMatchObject({ currentRevision: nameOf(first!), updateRevision: nameOf(first!) });
    await expectIdle();
  });

  it('that is stuck stays so until the broken pod is deleted, even when it is undone', async () => {
    await create();
    await pods.runAll();
    await patch({ template: templateOf('broken') });
    await stall('web-2');
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 broken']);
    await patch({ template });
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 broken']);
    await podClient().delete('web-2');
    await cluster.settle();
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1']);
    await expectIdle();
  });

  it('does not wait for broken pods where the order does not matter', async () => {
    await create({ podManagementPolicy: 'Parallel' });
    await pods.runAll();
    await patch({ template: templateOf('broken') });
    await stall('web-2');
    await patch({ template });
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1']);
  });

  it('replaces several at a time where the server lets users ask for it', async () => {
    await cluster.stop();
    await startCluster({ featureGates: ['MaxUnavailableStatefulSet=true'] });
    await create({
      replicas: 4,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: '50%' } },
    });
    await pods.runAll();
    await pods.bind(await pods.list());
    await patch({ template: templateOf('web:2') });
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1 going', 'web-3 web:1 going']);
    expect(await status()).toMatchObject({ replicas: 4, currentReplicas: 2 });
    await pods.reap();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:2']);
    await pods.runAll();
    await pods.reap();
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:2', 'web-2 web:2', 'web-3 web:2']);
    await expectIdle();
  });

  it('leaves it to users to delete pods where they want it so', async () => {
    await create({ updateStrategy: { type: 'OnDelete' } });
    await pods.runAll();
    await patch({ template: templateOf('web:2') });
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1']);
    await podClient().delete('web-1');
    await cluster.settle();
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:2', 'web-2 web:1']);
    expect(await status()).toMatchObject({ currentReplicas: 2, updatedReplicas: 1, readyReplicas: 3 });
    await expectIdle();
  });

  it('keeps as many old revisions as it is told', async () => {
    await create({ replicas: 1, revisionHistoryLimit: 2 });
    for (const image of ['web:2', 'web:3', 'web:4', 'web:5']) {
      await pods.runAll();
      await patch({ template: templateOf(image) });
    }
    await pods.runAll();
    expect((await revisions()).map(({ revision }) => revision)).toEqual([3, 4, 5]);
    await expectIdle();
  });

  it('finds another name for a revision whose name is taken', async () => {
    const probe = await create({ replicas: 1 });
    const [first] = await revisions();
    await sets().delete('web', { propagationPolicy: 'Background' });
    await podClient().delete('web-0');
    await revisionClient().delete(nameOf(first!));
    await cluster.settle();
    await revisionClient().create({
      metadata: { name: nameOf(first!), labels: { other: 'one' } },
      data: revisionData(templateOf('other')),
      revision: 7,
    });
    const again = await create({ replicas: 1 });
    expect(again.metadata.uid).not.toBe(probe.metadata.uid);
    const own = (await revisions()).find(({ metadata }) => metadata.ownerReferences);
    expect(own).toMatchObject({ revision: 1, data: { spec: { template: { $patch: 'replace' } } } });
    expect(nameOf(own!)).not.toBe(nameOf(first!));
    expect(await status()).toMatchObject({ collisionCount: 1, currentRevision: nameOf(own!) });
    await expectIdle();
  });

  it('starts no pod again for a revision that only lacks defaults of today', async () => {
    await create({ replicas: 1 });
    await pods.runAll();
    const [first] = await revisions();
    await cluster.stopControllers();
    await revisionClient().delete(nameOf(first!));
    const { resourceVersion: _, uid: __, ...metadata } = first!.metadata;
    const { dnsPolicy: ___, ...spec } = templateIn(first!)!.spec!;
    const data = { spec: { template: { metadata: { labels, creationTimestamp: null }, spec, $patch: 'replace' } } };
    await revisionClient().create({ metadata, data, revision: 1 });
    cluster.startControllers();
    await cluster.settle();
    expect((await revisions()).map(nameOf)).toEqual([nameOf(first!)]);
    expect(written('DELETE', /pods/)).toBe(0);
    await expectIdle();
  });
});

describe('claims', () => {
  const ownersOf = async (name: string): Promise<string[] | undefined> =>
    (await claimClient().get(name)).metadata.ownerReferences?.map((owner) => `${owner.kind}/${owner.name}`);

  it('stay when pods go, and are found again', async () => {
    await create({ replicas: 2, volumeClaimTemplates: [claimTemplate] });
    await pods.runAll();
    const before = (await claims()).map(({ metadata }) => metadata.uid);
    await patch({ replicas: 1 });
    await patch({ replicas: 2 });
    await pods.runAll();
    expect((await claims()).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(await names()).toEqual(['web-0', 'web-1']);
    await expectIdle();
  });

  it('belong to the set where they are to go with it, whenever that is decided', async () => {
    await create({ replicas: 2, volumeClaimTemplates: [claimTemplate] });
    await pods.runAll();
    expect(await ownersOf('data-web-0')).toBeUndefined();
    await patch({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' } });
    expect(await ownersOf('data-web-0')).toEqual(['StatefulSet/web']);
    expect(await ownersOf('data-web-1')).toEqual(['StatefulSet/web']);
    expect(await told('Update')).toEqual(
      [0, 1].map((it) => `Normal SuccessfulUpdate StatefulSet/web: Update Pod web-${it} in StatefulSet web successful`),
    );
    await patch({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' } });
    expect(await ownersOf('data-web-0')).toBeUndefined();
    await expectIdle();
  });

  it('belong to the pod that goes where they are to go with it, and are not given to another', async () => {
    await create({
      replicas: 2,
      volumeClaimTemplates: [claimTemplate],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    });
    await pods.runAll();
    expect(await ownersOf('data-web-1')).toEqual(['StatefulSet/web']);
    await patch({ replicas: 1 });
    expect(await ownersOf('data-web-1')).toEqual(['Pod/web-1']);
    expect(await ownersOf('data-web-0')).toEqual(['StatefulSet/web']);
    // The claim of the former pod is about to be collected.
    await patch({ replicas: 2 });
    expect(await names()).toEqual(['web-0']);
    await claimClient().patch('data-web-1', 'merge', { metadata: { finalizers: [] } });
    await claimClient().delete('data-web-1');
    await patch({ replicas: 3 });
    await pods.runAll();
    expect(await names()).toEqual(['web-0', 'web-1', 'web-2']);
    expect(await ownersOf('data-web-1')).toEqual(['StatefulSet/web']);
    await expectIdle();
  });

  it('are made again for pods that wait for them', async () => {
    await create({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
    await claimClient().delete('data-web-0');
    await podClient().patch('web-0', 'merge', { metadata: { annotations: { touched: 'once' } } });
    await cluster.settle();
    expect(cluster.log).toEqual([expect.stringContaining('pvc data-web-0 is being deleted')]);
    await claimClient().patch('data-web-0', 'merge', { metadata: { finalizers: [] } });
    await cluster.advance(1000);
    expect((await claims()).map(nameOf)).toEqual(['data-web-0']);
    expect((await claims())[0]!.metadata.deletionTimestamp).toBeUndefined();
  });

  it('that others control are left to them', async () => {
    const controller = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u-1', controller: true };
    await claimClient().create({
      ...claimTemplate,
      metadata: { name: 'data-web-0', ownerReferences: [controller] },
    });
    await cluster.settle();
    await create({
      replicas: 1,
      volumeClaimTemplates: [claimTemplate],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    });
    await pods.runAll();
    expect(await ownersOf('data-web-0')).toEqual(['ConfigMap/other']);
    expect((await told('Conflicting'))[0]).toBe(
      'Warning ConflictingController StatefulSet/web: PersistentVolumeClaim data-web-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim',
    );
    await expectIdle();
  });
});

describe('what goes wrong', () => {
  const quota = async (hard: Record<string, string>): Promise<void> => {
    const quotas = cluster.clients.core.v1.resourceQuotas('default');
    await quotas.create({ metadata: { name: 'q' }, spec: { hard } });
    const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
    await quotas.patch('q', 'merge', { status: { hard, used } }, { subresource: 'status' });
  };

  it('tells why a pod cannot be made, and tries again', async () => {
    await quota({ pods: '0' });
    await create({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
    const why = 'pods "web-0" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0';
    expect(await cluster.events()).toEqual([
      'Normal SuccessfulCreate StatefulSet/web: Create Claim data-web-0 Pod web-0 in StatefulSet web success',
      `Warning FailedCreate StatefulSet/web: Create Pod web-0 in StatefulSet web failed error: ${why}`,
    ]);
    expect(await status()).toMatchObject({ observedGeneration: 1, replicas: 0 });
    await cluster.clients.core.v1.resourceQuotas('default').delete('q');
    await cluster.advance(1000, 100);
    expect(await names()).toEqual(['web-0']);
  });

  it('tells why a claim cannot be made', async () => {
    await quota({ persistentvolumeclaims: '0' });
    await create({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
    const why =
      'persistentvolumeclaims "data-web-0" is forbidden: exceeded quota: q, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0';
    expect(await cluster.events()).toEqual([
      `Warning FailedCreate StatefulSet/web: Create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: ${why}`,
      `Warning FailedCreate StatefulSet/web: Create Pod web-0 in StatefulSet web failed error: failed to create PVC data-web-0: ${why}`,
    ]);
    expect(await names()).toEqual([]);
  });

  it('tells why a pod cannot be deleted', async () => {
    await create({ replicas: 1 });
    await pods.runAll();
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'DELETE' && url.includes('/pods/')) throw newInternalError(new Error('stuck'));
    };
    await patch({ replicas: 0 });
    expect((await told('Delete'))[0]).toBe(
      'Warning FailedDelete StatefulSet/web: Delete Pod web-0 in StatefulSet web failed error: Internal error occurred: stuck',
    );
    cluster.spy.plan = () => {};
    await cluster.advance(1000);
    expect(await names()).toEqual([]);
  });

  it('mends the labels by which a pod is known', async () => {
    await create({ replicas: 1 });
    await pods.runAll();
    await podClient().patch('web-0', 'merge', {
      metadata: { labels: { 'statefulset.kubernetes.io/pod-name': null, 'apps.kubernetes.io/pod-index': null } },
    });
    await cluster.settle();
    expect((await podClient().get('web-0')).metadata.labels).toMatchObject({
      'statefulset.kubernetes.io/pod-name': 'web-0',
      'apps.kubernetes.io/pod-index': '0',
    });
    expect(await told('Update')).toEqual([
      'Normal SuccessfulUpdate StatefulSet/web: Update Pod web-0 in StatefulSet web successful',
    ]);
    await expectIdle();
  });

  it('adopts pods and revisions that a set of its name has left behind, and none of another', async () => {
    await create({ replicas: 2 });
    await pods.runAll();
    const [revision] = await revisions();
    await cluster.stopControllers();
    await sets().delete('web', { propagationPolicy: 'Orphan' });
    const release = { metadata: { ownerReferences: [] } };
    await sets().patch('web', 'merge', { metadata: { finalizers: [] } });
    for (const name of await names()) await podClient().patch(name, 'merge', release);
    await revisionClient().patch(nameOf(revision!), 'merge', release);
    await podClient().create({ ...(await pods.list())[0]!, metadata: { name: 'other-0', labels } });
    cluster.startControllers();
    const { metadata } = await create({ replicas: 2 });
    const uids = (await pods.list()).map((pod) => [nameOf(pod), pod.metadata.ownerReferences?.[0]?.uid]);
    expect(uids).toEqual([
      ['other-0', undefined],
      ['web-0', metadata.uid],
      ['web-1', metadata.uid],
    ]);
    expect((await revisions()).map((one) => [nameOf(one), one.metadata.ownerReferences![0]!.uid])).toEqual([
      [nameOf(revision!), metadata.uid],
    ]);
    expect(written('POST', /\/pods$/)).toBe(2);
    expect(await status()).toMatchObject({ replicas: 2, readyReplicas: 2 });
    await expectIdle();
  });

  it('releases a pod that is no longer its, and waits for the name', async () => {
    await create({ replicas: 1 });
    await pods.runAll();
    await podClient().patch('web-0', 'merge', { metadata: { labels: { app: 'mine' } } });
    await cluster.settle();
    expect((await podClient().get('web-0')).metadata.ownerReferences).toBeUndefined();
    await podClient().delete('web-0');
    await cluster.advance(10_000, 1000);
    expect((await pods.list()).map(({ metadata }) => metadata.labels?.app)).toEqual(['web']);
  });

  it('writes its status in spite of a conflict', async () => {
    let conflicts = 0;
    cluster.spy.plan = ({ url }) => {
      if (url.endsWith('/web/status') && conflicts++ === 0) {
        throw newConflict(GroupResource.of('apps', 'statefulsets'), 'web', new Error('changed'));
      }
    };
    await create({ replicas: 1 });
    expect(await status()).toMatchObject({ replicas: 1 });
    expect(cluster.log).toEqual([]);
  });

  it('goes on where controllers that ended have left off', async () => {
    await create({ volumeClaimTemplates: [claimTemplate] });
    const restart = async (): Promise<void> => {
      await cluster.stopControllers();
      cluster.startControllers();
      await cluster.settle();
    };
    for (const name of ['web-0', 'web-1', 'web-2']) {
      await restart();
      await run(name);
    }
    await patch({ template: templateOf('web:2') });
    for (const name of ['web-2', 'web-1', 'web-0']) {
      await restart();
      await run(name);
    }
    expect(await images()).toEqual(['web-0 web:2', 'web-1 web:2', 'web-2 web:2']);
    expect([written('POST', /\/pods$/), written('DELETE', /\/pods/)]).toEqual([6, 3]);
    expect(written('POST', /claims$/)).toBe(3);
    await expectIdle();
  });
});

describe('a thousand replicas', () => {
  it('are made and deleted at once, each by one request', async () => {
    await create({ replicas: 1000, podManagementPolicy: 'Parallel', volumeClaimTemplates: [claimTemplate] });
    expect(await pods.list()).toHaveLength(1000);
    expect([written('POST', /\/pods$/), written('POST', /claims$/)]).toEqual([1000, 1000]);
    expect(written('PUT', /status$/)).toBeLessThanOrEqual(20);
    await patch({ replicas: 0 });
    expect(await pods.list()).toEqual([]);
    expect(written('DELETE', /\/pods/)).toBe(1000);
    await expectIdle();
  });
});

describe('whatever happens', () => {
  it('ends with the pods that the set wants, and then nothing is written', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('scale' as const), to: fc.nat(4) }),
      fc.record({ do: fc.constant('image' as const), to: fc.nat(3) }),
      fc.record({ do: fc.constant('run' as const), to: fc.nat(4) }),
      fc.record({ do: fc.constant('stall' as const), to: fc.nat(4) }),
      fc.record({ do: fc.constant('fail' as const), to: fc.nat(4) }),
      fc.record({ do: fc.constant('delete' as const), to: fc.nat(4) }),
      fc.record({ do: fc.constant('restart' as const), to: fc.constant(0) }),
      fc.record({ do: fc.constant('break' as const), to: fc.integer({ min: 2, max: 6 }) }),
    );
    const policy = fc.constantFrom('OrderedReady' as const, 'Parallel' as const);
    let seen = 0;
    const ignoreMissing = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);
    await fc.assert(
      fc.asyncProperty(policy, fc.array(step, { minLength: 1, maxLength: 12 }), async (podManagementPolicy, steps) => {
        await cluster.stop();
        await startCluster();
        await create({ podManagementPolicy, volumeClaimTemplates: [claimTemplate] });
        let image = 'web:1';
        for (const { do: what, to } of steps) {
          const name = `web-${to}`;
          if (what === 'scale') await patch({ replicas: to });
          else if (what === 'image') {
            image = `web:${to}`;
            await patch({ template: templateOf(image) });
          } else if (what === 'run') await run(name);
          else if (what === 'stall') await stall(name);
          else if (what === 'fail') await ignoreMissing(fail(name));
          else if (what === 'delete') await ignoreMissing(podClient().delete(name));
          else if (what === 'break') {
            // Every so manieth write fails.
            cluster.spy.plan = ({ method }) => {
              if (method !== 'GET' && ++seen % to === 0) throw newInternalError(new Error('by chance'));
            };
          } else {
            await cluster.stopControllers();
            cluster.startControllers();
          }
          await cluster.settle();
          const numbers = (await pods.list()).map(({ metadata }) => Number(metadata.name!.split('-')[1]));
          expect(new Set(numbers).size).toBe(numbers.length);
        }
        cluster.spy.plan = () => {};
        await cluster.advance(2_000_000, 1_000_000);
        for (let writes = -1; writes < cluster.spy.writes.length; ) {
          writes = cluster.spy.writes.length;
          await pods.run(await pods.staying());
          await pods.reap();
        }
        const { replicas = 0 } = (await sets().get('web')).spec!;
        expect(await images()).toEqual(Array.from({ length: replicas }, (_, i) => `web-${i} ${image}`));
        const { currentRevision, updateRevision, updatedReplicas = 0, ...counts } = (await status())!;
        expect([counts.replicas, updatedReplicas, currentRevision]).toEqual([replicas, replicas, updateRevision]);
        await expectIdle();
      }),
      { numRuns: 15 },
    );
  });
});
