import type { PersistentVolume, Pod } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { decideDetach } from './detach-decision.ts';
import { attachDetachController } from './index.ts';
import { multiAttachMessage } from './multi-attach-message.ts';

let cluster: TestCluster;
const minute = 60_000;
const uniqueName = 'kubernetes.io/csi/csi.example.com^disk-1';

const core = () => cluster.clients.core.v1;
const attachments = () => cluster.clients.storage.v1.volumeAttachments();

async function createNode(name: string): Promise<void> {
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
  await core().nodes().create({ metadata: { name, annotations } });
  await setReady(name, 'True');
}

const setReady = (name: string, status: 'True' | 'Unknown') =>
  core()
    .nodes()
    .patchStatus(name, 'merge', { status: { conditions: [{ type: 'Ready', status }] } });

const setInUse = (name: string, volumesInUse: string[]) =>
  core().nodes().patchStatus(name, 'merge', { status: { volumesInUse } });

async function createVolume(
  accessModes: NonNullable<PersistentVolume['spec']>['accessModes'] = ['ReadWriteOnce'],
): Promise<void> {
  const resources = { requests: { storage: '1Gi' } };
  const claim = await core()
    .persistentVolumeClaims('default')
    .create({ metadata: { name: 'data' }, spec: { accessModes, resources, storageClassName: '', volumeName: 'pv' } });
  await core()
    .persistentVolumes()
    .create({
      metadata: { name: 'pv' },
      spec: {
        accessModes,
        capacity: { storage: '1Gi' },
        csi: { driver: 'csi.example.com', volumeHandle: 'disk-1' },
        claimRef: { namespace: 'default', name: 'data', uid: claim.metadata.uid! },
      },
    });
  await core()
    .persistentVolumeClaims('default')
    .patchStatus('data', 'merge', { status: { phase: 'Bound' } });
}

const createPod = (name: string, nodeName: string): Promise<Pod> =>
  core()
    .pods('default')
    .create({
      metadata: { name },
      spec: {
        nodeName,
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });

const deletePod = (name: string) => core().pods('default').delete(name, { gracePeriodSeconds: 0 });

/** Simulates the external attacher of the driver. */
async function attachAll(): Promise<void> {
  for (const { metadata } of (await attachments().list()).items) {
    await attachments().patchStatus(metadata.name!, 'merge', { status: { attached: true } });
  }
  await cluster.settle();
}

const nodesWithVolume = async (): Promise<string[]> =>
  (await attachments().list()).items.map(({ spec }) => spec.nodeName).sort();

const attachedTo = async (name: string) => (await core().nodes().get(name)).status?.volumesAttached;

describe('the attach/detach controller', () => {
  beforeEach(async () => {
    cluster = await TestCluster.start({ controllers: [attachDetachController()] });
    await createNode('n1');
    await createNode('n2');
    return () => cluster.stop();
  });

  async function running(): Promise<void> {
    await createVolume();
    await createPod('web', 'n1');
    await cluster.settle();
    await attachAll();
    await setInUse('n1', [uniqueName]);
    await cluster.settle();
  }

  it('attaches the volume of a pod, then updates the node status and records an event on the pod', async () => {
    await createVolume();
    await createPod('web', 'n1');
    await cluster.settle();
    const { items } = await attachments().list();
    expect(items.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      [
        'csi-4684184ae43eaacf55ace42faad60bd20b3f9484feef94e123e8b6effc557c53',
        { attacher: 'csi.example.com', nodeName: 'n1', source: { persistentVolumeName: 'pv' } },
      ],
    ]);
    expect(await attachedTo('n1')).toBeUndefined();
    await attachAll();
    expect(await attachedTo('n1')).toEqual([{ name: uniqueName, devicePath: '' }]);
    expect(await cluster.events()).toEqual([
      'Normal SuccessfulAttachVolume Pod/web: AttachVolume.Attach succeeded for volume "pv" ',
    ]);
    const writes = cluster.spy.writes.length;
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.advance(10 * minute, minute);
    expect(cluster.spy.writes.length).toBe(writes);
  });

  it('records an event on the pod when attaching fails or takes long', async () => {
    await createVolume();
    await createPod('web', 'n1');
    await cluster.settle();
    await cluster.advance(2 * minute);
    const prefix = 'Warning FailedAttachVolume Pod/web: AttachVolume.Attach failed for volume "pv" :';
    expect(await cluster.events()).toEqual([
      `${prefix} timed out waiting for external-attacher of csi.example.com CSI driver to attach volume disk-1`,
    ]);
    const [attachment] = (await attachments().list()).items;
    const attachError = { message: 'no such disk', time: '2026-01-01T00:00:00Z' };
    await attachments().patchStatus(attachment!.metadata.name!, 'merge', { status: { attached: false, attachError } });
    await cluster.settle();
    expect(await cluster.events()).toContain(`${prefix} no such disk`);
  });

  it('detaches a volume when the node status no longer lists it as in use', async () => {
    await running();
    await deletePod('web');
    await cluster.settle();
    await cluster.advance(10 * minute, minute);
    expect(await nodesWithVolume()).toEqual(['n1']);
    await setInUse('n1', []);
    await cluster.settle();
    expect(await nodesWithVolume()).toEqual([]);
    expect(await attachedTo('n1')).toBeUndefined();
  });

  it('updates the node status once before it detaches, even if detaching fails', async () => {
    await running();
    const order: string[] = [];
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'PATCH' && url.includes('/nodes/')) order.push('node');
      if (method !== 'DELETE') return;
      order.push('delete');
      if (order.filter((it) => it === 'delete').length === 1) throw newInternalError(new Error('out of order'));
    };
    await setInUse('n1', []);
    await deletePod('web');
    await cluster.settle();
    expect([await attachedTo('n1'), await nodesWithVolume()]).toEqual([undefined, ['n1']]);
    await cluster.advance(500);
    expect(order).toEqual(['node', 'delete', 'delete']);
    expect(await nodesWithVolume()).toEqual([]);
  });

  it('detaches a volume from a node that is not ready after six minutes', async () => {
    await running();
    await setReady('n1', 'Unknown');
    await deletePod('web');
    await cluster.settle();
    await cluster.advance(6 * minute);
    expect(await nodesWithVolume()).toEqual(['n1']);
    await cluster.advance(1000);
    expect(await nodesWithVolume()).toEqual([]);
  });

  it('detaches a volume at once from a node with the out-of-service taint', async () => {
    await running();
    await setReady('n1', 'Unknown');
    const taints = [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' as const }];
    await core().nodes().patch('n1', 'merge', { spec: { taints } });
    await deletePod('web');
    await cluster.settle();
    expect(await nodesWithVolume()).toEqual([]);
  });

  it('attaches a ReadWriteOnce volume to another node only after it has been detached', async () => {
    await running();
    await createPod('next', 'n2');
    await cluster.settle();
    expect(await nodesWithVolume()).toEqual(['n1']);
    expect(await cluster.events()).toContain(
      'Warning FailedAttachVolume Pod/next: Waiting for detach for volume "pv" Volume is already used by pod(s) web',
    );
    await setInUse('n1', []);
    await deletePod('web');
    await cluster.settle();
    expect(await nodesWithVolume()).toEqual(['n2']);
  });

  it('attaches a ReadWriteMany volume to several nodes', async () => {
    await createVolume(['ReadWriteMany']);
    await createPod('a', 'n1');
    await createPod('b', 'n2');
    await cluster.settle();
    expect(await nodesWithVolume()).toEqual(['n1', 'n2']);
  });

  it('continues after failed requests and restarts', async () => {
    const failed = new Set<string>();
    cluster.spy.plan = ({ method, url }) => {
      const write = `${method} ${url}`;
      if (method === 'GET' || url.includes('/events') || failed.has(write)) return;
      failed.add(write);
      throw newInternalError(new Error('out of order'));
    };
    const again = async (): Promise<void> => {
      await cluster.stopControllers();
      cluster.startControllers();
      await cluster.advance(2000, 500);
    };
    await createVolume();
    await createPod('web', 'n1');
    await again();
    await attachAll();
    await again();
    expect([await nodesWithVolume(), await attachedTo('n1')]).toEqual([['n1'], [{ name: uniqueName, devicePath: '' }]]);
    failed.clear();
    await deletePod('web');
    await again();
    await again();
    expect([await nodesWithVolume(), await attachedTo('n1')]).toEqual([[], undefined]);
    expect(failed.size).toBe(2);
  });

  it('does not delete attachments that it did not create', async () => {
    await createVolume();
    for (const persistentVolumeName of ['pv', 'unknown'])
      await attachments().create({
        metadata: { name: `of-${persistentVolumeName}` },
        spec: { attacher: 'csi.example.com', nodeName: 'n1', source: { persistentVolumeName } },
      });
    await cluster.settle();
    await cluster.advance(10 * minute, minute);
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.advance(10 * minute, minute);
    expect((await attachments().list()).items.map(({ metadata }) => metadata.name)).toEqual(['of-pv', 'of-unknown']);
  });

  it('ignores volumes of drivers with attachRequired false', async () => {
    await cluster.clients.storage.v1
      .csiDrivers()
      .create({ metadata: { name: 'csi.example.com' }, spec: { attachRequired: false } });
    await cluster.settle();
    await createVolume();
    await createPod('web', 'n1');
    await cluster.settle();
    expect(await nodesWithVolume()).toEqual([]);
  });
});

describe('decideDetach', () => {
  const node = (ready: string, taint?: string) => ({
    metadata: { name: 'n' },
    spec: { taints: taint ? [{ key: taint, effect: 'NoExecute' as const }] : [] },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
  it.each<
    [sentence: string, state: Partial<Parameters<typeof decideDetach>[0]>, decision: ReturnType<typeof decideDetach>]
  >([
    ['it is not mounted', { isMounted: false }, { is: 'detach', verify: true }],
    ['a ready node uses it', {}, { is: 'wait' }],
    ['a ready node has used it for long', { waitedMs: 11 }, { is: 'wait' }],
    ['a node that is not ready uses it', { node: node('False'), waitedMs: 4 }, { is: 'wait', againInMs: 7 }],
    [
      'a node that is not ready has used it for long',
      { node: node('Unknown'), waitedMs: 11 },
      { is: 'detach', verify: false },
    ],
    ['a deleted node used it', { node: undefined }, { is: 'wait', againInMs: 11 }],
    ['forced detach is disabled', { node: node('Unknown'), waitedMs: 11, maxWaitMs: undefined }, { is: 'wait' }],
    [
      'the node is out of service',
      { node: node('Unknown', 'node.kubernetes.io/out-of-service') },
      { is: 'detach', verify: false },
    ],
  ])('when %s', (_, state, decision) => {
    expect(decideDetach({ node: node('True'), isMounted: true, waitedMs: 0, maxWaitMs: 10, ...state })).toEqual(
      decision,
    );
  });
});

describe('multiAttachMessage', () => {
  const pod = (name: string, namespace = 'a') => ({ metadata: { name, namespace } });
  it.each<[users: Pod[], message: string]>([
    [
      [],
      'Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node',
    ],
    [[pod('x'), pod('y')], 'Volume is already used by pod(s) x, y'],
    [[pod('x'), pod('y', 'b')], 'Volume is already used by pod(s) x and 1 pod(s) in different namespaces'],
    [[pod('y', 'b')], 'Volume is already used by 1 pod(s) in different namespaces'],
  ])('for %j', (users, message) => {
    expect(multiAttachMessage('pv', pod('me'), users)).toBe(`Waiting for detach for volume "pv" ${message}`);
  });
});
