import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { newConflict } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { podCondition } from '@coxswain/component-helpers';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../../test/test-cluster.ts';
import { completeConfiguration } from '../../config/complete-configuration.ts';

let cluster: TestCluster;

/** Without preemption, which adds to the messages. */
const config = completeConfiguration({ profiles: [{ plugins: { postFilter: { disabled: [{ name: '*' }] } } }] });

beforeEach(async () => {
  cluster = await TestCluster.start({ config });
  const classes = cluster.clients.storage.v1.storageClasses();
  const volumeBindingMode = 'WaitForFirstConsumer';
  await classes.create({ metadata: { name: 'local' }, provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode });
  await classes.create({ metadata: { name: 'csi' }, provisioner: 'csi.example', volumeBindingMode });
  await classes.create({ metadata: { name: 'now' }, provisioner: 'csi.example', volumeBindingMode: 'Immediate' });
  await cluster.createNode('a');
  await cluster.createNode('b');
  return () => cluster.stop();
});

const volumes = () => cluster.clients.core.v1.persistentVolumes();
const claims = () => cluster.clients.core.v1.persistentVolumeClaims('default');
const message = async (name: string) => podCondition(await cluster.pod(name), 'PodScheduled')?.message;
const selectedNode = async (name: string) =>
  (await claims().get(name)).metadata.annotations?.['volume.kubernetes.io/selected-node'];

async function volume(name: string, storageClassName: string, nodeName?: string): Promise<void> {
  const expression = { key: 'kubernetes.io/hostname', operator: 'In' as const, values: [nodeName ?? ''] };
  const { metadata } = await volumes().create({
    metadata: { name },
    spec: {
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName,
      csi: { driver: 'csi.example', volumeHandle: name },
      ...(nodeName && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } } }),
    },
  });
  await volumes().patchStatus(metadata.name ?? '', 'merge', { status: { phase: 'Available' } });
}

const claim = (name: string, storageClassName: string, storage = '3Gi'): Promise<PersistentVolumeClaim> =>
  claims().create({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } },
  });

async function pod(name: string, claimName = name): Promise<void> {
  await cluster.createPod(name, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });
  await cluster.settle();
}

/** Binds the claim to the volume, like the PV controller. */
async function bind(claimName: string, volumeName: string): Promise<void> {
  const bound = { phase: 'Bound' as const, capacity: { storage: '5Gi' } };
  const { metadata } = await claims().get(claimName);
  const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'default', name: claimName, uid: metadata.uid };
  await volumes().patch(volumeName, 'merge', { spec: { claimRef } });
  await volumes().patchStatus(volumeName, 'merge', { status: { phase: 'Bound' } });
  await claims().patch(claimName, 'merge', {
    metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName },
  });
  await claims().patchStatus(claimName, 'merge', { status: bound });
  await cluster.settle();
}

describe('a WaitForFirstConsumer claim', () => {
  it('is bound to a volume of a node, and the pod is then bound to that node', async () => {
    await volume('disk', 'local', 'b');
    const { metadata } = await claim('data', 'local');
    await pod('web', 'data');
    const reserved: PersistentVolume = await volumes().get('disk');
    expect(reserved.spec?.claimRef).toMatchObject({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'data',
      uid: metadata.uid,
    });
    expect(reserved.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' });
    expect((await cluster.pod('web')).status?.nominatedNodeName).toBe('b');
    expect(await cluster.placements()).toEqual({ web: undefined });

    await bind('data', 'disk');
    expect(await cluster.placements()).toEqual({ web: 'b' });
    expect(cluster.log).toEqual([]);
  });

  it('has a volume provisioned on the pod’s node', async () => {
    await claim('data', 'csi');
    await pod('web', 'data');
    const node = await selectedNode('data');
    expect((await cluster.pod('web')).status?.nominatedNodeName).toBe(node);
    await volume('made', 'csi', node);
    await bind('data', 'made');
    expect(await cluster.placements()).toEqual({ web: node });
  });

  it('gets one volume although a pod uses it twice', async () => {
    await volume('disk', 'local', 'b');
    await claim('data', 'local');
    const persistentVolumeClaim = { claimName: 'data' };
    await cluster.createPod('web', {
      volumes: [
        { name: 'one', persistentVolumeClaim },
        { name: 'two', persistentVolumeClaim },
      ],
    });
    await cluster.settle();
    await bind('data', 'disk');
    expect(await cluster.placements()).toEqual({ web: 'b' });
  });

  it('is retried when provisioning fails', async () => {
    await claim('data', 'csi');
    await pod('web', 'data');
    const provisioner = { 'volume.kubernetes.io/storage-provisioner': 'csi.example' };
    await claims().patch('data', 'merge', {
      metadata: { annotations: { ...provisioner, 'volume.kubernetes.io/selected-node': null } },
    });
    await cluster.settle();
    const failure = 'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"';
    expect(await cluster.events()).toEqual([`Warning FailedScheduling Pod/web: ${failure}`]);
    expect(await message('web')).toBe(failure);
    await cluster.advance(10_000);
    expect(await selectedNode('data')).toMatch(/^[ab]$/);
  });

  it('times out after ten minutes', async () => {
    await claim('data', 'csi');
    await pod('web', 'data');
    await cluster.advance(600_000);
    expect(await message('web')).toBe(
      'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    );
  });

  it('is no longer waited for when the pod is deleted', async () => {
    await claim('data', 'csi');
    await pod('web', 'data');
    await cluster.clients.core.v1.pods('default').delete('web');
    await cluster.settle();
    await cluster.advance(1000);
    expect(cluster.log).toContainEqual(expect.stringContaining('pod does not exist any more: pod \\"web\\" not found'));
  });

  it('does not get a volume that is reserved for another pod', async () => {
    await volume('disk', 'local', 'a');
    await claim('first', 'local');
    await claim('second', 'local');
    await pod('first');
    await pod('second');
    const told = "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.";
    expect(await message('second')).toBe(told);
    expect((await volumes().get('disk')).spec?.claimRef?.name).toBe('first');
    await volume('other', 'local', 'b');
    await cluster.advance(10_000);
    await bind('first', 'disk');
    await bind('second', 'other');
    expect(await cluster.placements()).toEqual({ first: 'a', second: 'b' });
  });

  it('gets its volume despite a conflicting change', async () => {
    await volume('disk', 'local', 'b');
    await claim('data', 'local');
    let conflicts = 1;
    cluster.plan = ({ method, url }) => {
      if (method !== 'PUT' || !url.includes('/persistentvolumes/') || conflicts-- <= 0) return;
      throw newConflict(GroupResource.of('', 'persistentvolumes'), 'disk', new Error('it was changed'));
    };
    await pod('web', 'data');
    expect(await message('web')).toBe(
      'running PreBind plugin "VolumeBinding": Operation cannot be fulfilled on persistentvolumes "disk": it was changed',
    );
    await cluster.advance(10_000);
    await bind('data', 'disk');
    expect(await cluster.placements()).toEqual({ web: 'b' });
  });

  it('is continued by a restarted scheduler', async () => {
    await claim('data', 'csi');
    await pod('web', 'data');
    const node = await selectedNode('data');
    await cluster.stopScheduler();
    cluster.startScheduler();
    await cluster.settle();
    expect(await selectedNode('data')).toBe(node);
    await volume('made', 'csi', node);
    await bind('data', 'made');
    expect(await cluster.placements()).toEqual({ web: node });
  });
});

describe('a pod whose claims are not ready', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['the claim does not exist', async () => {}, 'persistentvolumeclaim "data" not found.'],
    ['the claim is not bound yet', () => claim('data', 'now'), 'pod has unbound immediate PersistentVolumeClaims.'],
    [
      'no volume is large enough',
      () => claim('data', 'local', '50Gi'),
      "2 node(s) didn't find available persistent volumes to bind.",
    ],
  ])('gets a message that %s', async (_, prepare, told) => {
    await prepare();
    await pod('web', 'data');
    expect(await message('web')).toBe(`0/2 nodes are available: ${told}`);
  });

  it('is retried when they are', async () => {
    await pod('web', 'data');
    await volume('disk', 'now', 'b');
    await claim('data', 'now');
    await cluster.advance(1000);
    expect(await message('web')).toBe('0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.');
    await bind('data', 'disk');
    await cluster.advance(10_000);
    expect(await cluster.placements()).toEqual({ web: 'b' });
  });

  it('waits for the claims of its ephemeral volumes', async () => {
    const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
    await cluster.createPod('web', { volumes: [{ name: 'tmp', ephemeral: { volumeClaimTemplate: { spec } } }] });
    await cluster.settle();
    expect(await message('web')).toBe(
      '0/2 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "web-tmp".',
    );
  });
});

describe('a ReadWriteOncePod claim', () => {
  it('keeps a second pod waiting until the first is deleted', async () => {
    await volume('disk', 'now', 'b');
    await claims().create({
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOncePod'], storageClassName: 'now', resources: { requests: { storage: '1Gi' } } },
    });
    await bind('data', 'disk');
    await pod('first', 'data');
    await pod('second', 'data');
    expect(await message('second')).toBe(
      '0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode ' +
        'already in-use by another pod.',
    );
    await cluster.clients.core.v1.pods('default').delete('first', { gracePeriodSeconds: 0 });
    await cluster.advance(10_000);
    expect(await cluster.placements()).toEqual({ second: 'b' });
  });
});

describe('a node with an attach limit', () => {
  it('gets no more volumes until the limit is raised', async () => {
    const csiNodes = cluster.clients.storage.v1.csiNodes();
    const drivers = (count: number) => [{ name: 'csi.example', nodeID: 'x', allocatable: { count } }];
    for (const name of ['a', 'b']) await csiNodes.create({ metadata: { name }, spec: { drivers: drivers(0) } });
    await claim('data', 'csi');
    await cluster.settle();
    await pod('web', 'data');
    expect(await message('web')).toBe('0/2 nodes are available: 2 node(s) exceed max volume count.');
    await csiNodes.patch('b', 'merge', { spec: { drivers: drivers(1) } });
    await cluster.advance(10_000);
    expect(await selectedNode('data')).toBe('b');
  });
});
