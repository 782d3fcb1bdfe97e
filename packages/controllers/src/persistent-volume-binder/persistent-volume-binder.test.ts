import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import type { StorageClass } from '@coxswain/api/storage/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { pvProtectionController } from '../pv-protection/index.ts';
import { pvcProtectionController } from '../pvc-protection/index.ts';
import { hostPathPlugin, persistentVolumeBinderController } from './index.ts';

let cluster: TestCluster;
const removed: string[] = [];

beforeEach(async () => {
  removed.length = 0;
  const plugin = hostPathPlugin({ remove: async (path) => void removed.push(path) });
  cluster = await TestCluster.start({
    controllers: [
      persistentVolumeBinderController({ plugins: [plugin] }),
      pvcProtectionController,
      pvProtectionController,
    ],
  });
  return () => cluster.stop();
});
afterEach(() => {
  cluster.spy.plan = () => {};
});

const volumes = () => cluster.clients.core.v1.persistentVolumes();
const claims = () => cluster.clients.core.v1.persistentVolumeClaims('default');

const volume = (
  name: string,
  spec: PersistentVolume['spec'] = {},
  labels?: Record<string, string>,
): PersistentVolume => ({
  metadata: { name, ...(labels && { labels }) },
  spec: {
    capacity: { storage: '5Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: `/srv/${name}` },
    persistentVolumeReclaimPolicy: 'Retain',
    ...spec,
  },
});

const claim = (name: string, spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: '',
    ...spec,
  },
});

const storageClass = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name },
  provisioner: 'coxswain.dev/host-path',
  ...more,
});

const pod = (name: string, claimName: string): Pod => ({
  metadata: { name },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
  },
});

async function phases(): Promise<Record<string, string | undefined>> {
  const [pvs, pvcs] = await Promise.all([volumes().list(), claims().list()]);
  return Object.fromEntries(
    [...pvs.items, ...pvcs.items].map(({ metadata, status }) => [metadata.name ?? '', status?.phase]),
  );
}

describe('a claim without a class', () => {
  it('is bound to the smallest volume that is large enough', async () => {
    for (const [name, storage] of [
      ['large', '10Gi'],
      ['small', '512Mi'],
      ['right', '2Gi'],
    ] as const)
      await volumes().create(volume(name, { capacity: { storage } }));
    await cluster.settle();
    expect(await phases()).toEqual({ large: 'Available', small: 'Available', right: 'Available' });
    await claims().create(claim('data'));
    await cluster.settle();
    expect(await phases()).toEqual({ large: 'Available', small: 'Available', right: 'Bound', data: 'Bound' });
    const bound = await claims().get('data');
    expect(bound.spec?.volumeName).toBe('right');
    expect(bound.metadata.annotations).toEqual({
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    expect(bound.status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } });
    const right = await volumes().get('right');
    expect(right.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' });
    expect(right.spec?.claimRef).toMatchObject({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'data',
      uid: bound.metadata.uid,
    });
    expect(await cluster.events()).toEqual([]);
  });

  it('waits for a matching volume and records an event', async () => {
    await claims().create(claim('data', { selector: { matchLabels: { disk: 'fast' } } }));
    await cluster.settle();
    expect(await cluster.events()).toEqual([
      'Normal FailedBinding PersistentVolumeClaim/data: no persistent volumes available for this claim and no storage class is set',
    ]);
    await volumes().create(volume('slow'));
    await volumes().create(volume('fast', {}, { disk: 'fast' }));
    await cluster.settle();
    expect((await phases()).data).toBe('Pending');
    await cluster.advance(15_000);
    expect(await phases()).toEqual({ slow: 'Available', fast: 'Bound', data: 'Bound' });
  });

  it('is lost when its volume is deleted', async () => {
    await volumes().create(volume('pv'));
    await cluster.settle();
    await claims().create(claim('data'));
    await cluster.settle();
    await volumes().delete('pv');
    await cluster.settle();
    // The finalizer protects a bound volume.
    expect((await volumes().get('pv')).metadata.deletionTimestamp).toBeDefined();
    await volumes().patch('pv', 'merge', { metadata: { finalizers: null } });
    await cluster.settle();
    expect((await claims().get('data')).status).toEqual({ phase: 'Lost' });
    expect(await cluster.events()).toContain(
      'Warning ClaimLost PersistentVolumeClaim/data: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    );
  });

  it('is bound to a volume of its own among many, without further writes', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
    await Promise.all(names.map((name) => volumes().create(volume(`pv-${name}`))));
    await cluster.settle();
    await Promise.all(names.map((name) => claims().create(claim(name))));
    await cluster.settle();
    const { items } = await claims().list();
    expect(items.every(({ status }) => status?.phase === 'Bound')).toBe(true);
    expect(new Set(items.map(({ spec }) => spec?.volumeName)).size).toBe(40);
    const before = cluster.spy.writes.length;
    await cluster.advance(60_000, 15_000);
    expect(cluster.spy.writes.length).toBe(before);
  });
});

describe('a claim for a volume by name', () => {
  it('waits until the volume exists', async () => {
    await claims().create(claim('data', { volumeName: 'pv' }));
    await cluster.settle();
    expect((await phases()).data).toBe('Pending');
    await volumes().create(volume('pv'));
    await cluster.advance(15_000);
    expect(await phases()).toEqual({ pv: 'Bound', data: 'Bound' });
    expect((await claims().get('data')).metadata.annotations).toEqual({ 'pv.kubernetes.io/bind-completed': 'yes' });
  });

  it.each<[sentence: string, spec: PersistentVolumeClaim['spec'], problem: string]>([
    ['is too small', { resources: { requests: { storage: '6Gi' } } }, 'requested PV is too small'],
    ['has another class', { storageClassName: 'other' }, 'storageClassName does not match'],
    ['is a file system', { volumeMode: 'Block' }, 'incompatible volumeMode'],
    ['cannot be shared', { accessModes: ['ReadWriteMany'] }, 'incompatible accessMode'],
  ])('is not bound to one that %s', async (_, spec, problem) => {
    await volumes().create(volume('pv'));
    await cluster.settle();
    await claims().create(claim('data', { ...spec, volumeName: 'pv' }));
    await cluster.settle();
    expect(await phases()).toEqual({ pv: 'Available', data: 'Pending' });
    expect(await cluster.events()).toContain(
      `Warning VolumeMismatch PersistentVolumeClaim/data: Cannot bind to requested volume "pv": ${problem}`,
    );
  });

  it('is not bound to one that is bound already', async () => {
    await volumes().create(volume('pv'));
    await cluster.settle();
    await claims().create(claim('first', { volumeName: 'pv' }));
    await cluster.settle();
    await claims().create(claim('second', { volumeName: 'pv' }));
    await cluster.settle();
    expect(await phases()).toEqual({ pv: 'Bound', first: 'Bound', second: 'Pending' });
    expect(await cluster.events()).toContain(
      'Warning FailedBinding PersistentVolumeClaim/second: volume "pv" already bound to a different claim.',
    );
  });
});

it('a reserved volume is bound only to its claim, regardless of selector and class', async () => {
  const claimRef = { namespace: 'default', name: 'mine' };
  await volumes().create(volume('pv', { claimRef, storageClassName: 'odd' }));
  await claims().create(claim('other'));
  await cluster.settle();
  expect(await phases()).toEqual({ pv: 'Available', other: 'Pending' });
  await claims().create(claim('mine', { selector: { matchLabels: { a: 'b' } } }));
  await cluster.settle();
  expect(await phases()).toEqual({ pv: 'Bound', other: 'Pending', mine: 'Bound' });
  expect((await volumes().get('pv')).metadata.annotations).toBeUndefined();
});

describe('when the claim is deleted', () => {
  async function boundTo(policy: 'Retain' | 'Recycle' | 'Delete', path: string): Promise<void> {
    await volumes().create(volume('pv', { persistentVolumeReclaimPolicy: policy, hostPath: { path } }));
    await cluster.settle();
    await claims().create(claim('data'));
    await cluster.settle();
    await claims().delete('data');
    await cluster.settle();
  }

  it('a volume with policy Retain is released and not bound again', async () => {
    await boundTo('Retain', '/srv/x');
    await claims().create(claim('data'));
    await cluster.settle();
    expect(await phases()).toEqual({ pv: 'Released', data: 'Pending' });
  });

  it('a volume with policy Recycle fails', async () => {
    await boundTo('Recycle', '/srv/x');
    expect((await volumes().get('pv')).status).toMatchObject({
      phase: 'Failed',
      message: 'No recycler plugin found for the volume!',
    });
    expect(await cluster.events()).toContain(
      'Warning VolumeFailedRecycle PersistentVolume/pv: No recycler plugin found for the volume!',
    );
  });

  it('a volume with policy Delete fails when no plugin can delete it', async () => {
    await boundTo('Delete', '/srv/x');
    const message = 'host_path deleter only supports /tmp/.+ but received provided /srv/x';
    expect((await volumes().get('pv')).status).toMatchObject({ phase: 'Failed', message });
    expect(await cluster.events()).toContain(`Warning VolumeFailedDelete PersistentVolume/pv: ${message}`);
  });

  it('a volume with policy Delete is deleted', async () => {
    await boundTo('Delete', '/tmp/x');
    expect(await phases()).toEqual({});
  });
});

it('a claim that a pod uses is kept until the pod is deleted', async () => {
  await volumes().create(volume('pv'));
  await cluster.settle();
  await claims().create(claim('data'));
  await cluster.clients.core.v1.pods('default').create({
    ...pod('web', 'data'),
    spec: { ...pod('web', 'data').spec, nodeName: 'n1' } as Pod['spec'],
  });
  await cluster.settle();
  await claims().delete('data');
  await cluster.settle();
  expect((await claims().get('data')).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  await cluster.clients.core.v1.pods('default').delete('web', { gracePeriodSeconds: 0 });
  await cluster.settle();
  expect(await phases()).toEqual({ pv: 'Released' });
});

describe('a StorageClass', () => {
  it('with a plugin has volumes provisioned, and deleted with their claims', async () => {
    await cluster.clients.storage.v1.storageClasses().create(storageClass('local', { parameters: { path: '/srv' } }));
    await cluster.settle();
    await claims().create(claim('data', { storageClassName: 'local' }));
    await cluster.settle();
    const bound = await claims().get('data');
    const name = `pvc-${bound.metadata.uid}`;
    expect(await phases()).toEqual({ [name]: 'Bound', data: 'Bound' });
    expect(bound.metadata.annotations).toEqual({
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'volume.beta.kubernetes.io/storage-provisioner': 'coxswain.dev/host-path',
      'volume.kubernetes.io/storage-provisioner': 'coxswain.dev/host-path',
    });
    const made = await volumes().get(name);
    expect(made.metadata.annotations).toEqual({
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'pv.kubernetes.io/provisioned-by': 'coxswain.dev/host-path',
    });
    expect(made.metadata.finalizers).toEqual(['kubernetes.io/pv-controller', 'kubernetes.io/pv-protection']);
    expect(made.spec).toMatchObject({
      capacity: { storage: '1Gi' },
      hostPath: { path: `/srv/${name}`, type: 'DirectoryOrCreate' },
      storageClassName: 'local',
      persistentVolumeReclaimPolicy: 'Delete',
    });
    expect(await cluster.events()).toEqual([
      `Normal ProvisioningSucceeded PersistentVolumeClaim/data: Successfully provisioned volume ${name} using coxswain.dev/host-path`,
    ]);
    await claims().delete('data');
    await cluster.settle();
    expect(await phases()).toEqual({});
    expect(new Set(removed)).toEqual(new Set([`/srv/${name}`]));
  });

  it('with an external provisioner waits for its volumes', async () => {
    await cluster.clients.storage.v1.storageClasses().create(storageClass('csi', { provisioner: 'csi.example.com' }));
    await cluster.settle();
    await claims().create(claim('data', { storageClassName: 'csi' }));
    await cluster.settle();
    expect((await claims().get('data')).metadata.annotations).toEqual({
      'volume.beta.kubernetes.io/storage-provisioner': 'csi.example.com',
      'volume.kubernetes.io/storage-provisioner': 'csi.example.com',
    });
    expect(await cluster.events()).toEqual([
      "Normal ExternalProvisioning PersistentVolumeClaim/data: Waiting for a volume to be created either by the external provisioner 'csi.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
    ]);
  });

  it.each([
    ['kubernetes.io/no-provisioner', 'no volume plugin matched name: kubernetes.io/no-provisioner'],
    [undefined, 'storageclass.storage.k8s.io "x" not found'],
  ])('with the unusable provisioner %s is reported', async (provisioner, message) => {
    if (provisioner) await cluster.clients.storage.v1.storageClasses().create(storageClass('x', { provisioner }));
    await cluster.settle();
    await claims().create(claim('data', { storageClassName: 'x' }));
    await cluster.settle();
    expect(await cluster.events()).toEqual([`Warning ProvisioningFailed PersistentVolumeClaim/data: ${message}`]);
  });

  it('with WaitForFirstConsumer has volumes provisioned for the node of the first pod', async () => {
    const waiting = storageClass('late', { volumeBindingMode: 'WaitForFirstConsumer' });
    await cluster.clients.storage.v1.storageClasses().create(waiting);
    await cluster.settle();
    await cluster.clients.core.v1
      .nodes()
      .create({ metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'h1' } } });
    await claims().create(claim('data', { storageClassName: 'late' }));
    await cluster.settle();
    expect(await cluster.events()).toEqual([
      'Normal WaitForFirstConsumer PersistentVolumeClaim/data: waiting for first consumer to be created before binding',
    ]);
    await cluster.clients.core.v1.pods('default').create(pod('web', 'data'));
    await cluster.advance(15_000);
    expect(await cluster.events()).toContain(
      'Normal WaitForPodScheduled PersistentVolumeClaim/data: waiting for pod web to be scheduled',
    );
    await claims().patch('data', 'merge', {
      metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } },
    });
    await cluster.settle();
    const { spec } = await claims().get('data');
    const made = await volumes().get(spec?.volumeName ?? '');
    expect(made.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['h1'] }] },
    ]);
    expect((await phases()).data).toBe('Bound');
  });

  it('that becomes the default is assigned to pending claims without one', async () => {
    const { storageClassName, ...spec } = claim('data').spec ?? {};
    await claims().create({ metadata: { name: 'data' }, spec });
    await cluster.settle();
    await cluster.clients.storage.v1.storageClasses().create({
      ...storageClass('standard'),
      metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    });
    await cluster.advance(15_000);
    const { spec: after, status } = await claims().get('data');
    expect([after?.storageClassName, status?.phase]).toEqual(['standard', 'Bound']);
  });
});

it('after failures of every write and restarts there is one volume for each claim', async () => {
  await cluster.clients.storage.v1.storageClasses().create(storageClass('local'));
  const failed = new Set<string>();
  cluster.spy.plan = ({ method, url }) => {
    const write = `${method} ${url}`;
    if (method === 'GET' || url.includes('/events') || failed.has(write)) return;
    failed.add(write);
    throw newInternalError(new Error('out of order'));
  };
  await volumes().create(volume('pv'));
  await claims().create(claim('bound'));
  await claims().create(claim('made', { storageClassName: 'local' }));
  for (let i = 0; i < 12; i++) {
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.advance(15_000);
  }
  const { items } = await claims().list();
  expect(items.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound']);
  expect((await volumes().list()).items.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound']);
  expect(failed.size).toBeGreaterThan(5);
});
