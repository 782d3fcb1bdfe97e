import type { PersistentVolume } from '@coxswain/api/core/v1';
import { beforeEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { volumeExpandController } from './index.ts';

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [volumeExpandController] });
  return () => cluster.stop();
});

async function enlarge(source: PersistentVolume['spec']): Promise<void> {
  const { core, storage } = cluster.clients;
  const claims = core.v1.persistentVolumeClaims('default');
  await storage.v1
    .storageClasses()
    .create({ metadata: { name: 'x' }, provisioner: 'example.com/x', allowVolumeExpansion: true });
  const claim = await claims.create({
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'x',
      volumeName: 'pv',
    },
  });
  await core.v1.persistentVolumes().create({
    metadata: { name: 'pv' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: 'x',
      claimRef: { namespace: 'default', name: 'data', uid: claim.metadata.uid! },
      ...source,
    },
  });
  await claims.patchStatus('data', 'merge', { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
  await cluster.settle();
  expect(await cluster.events()).toEqual([]);
  await claims.patch('data', 'merge', { spec: { resources: { requests: { storage: '2Gi' } } } });
  await cluster.settle();
}

it('an enlarged claim gets an event that it waits for an external controller', async () => {
  await enlarge({ csi: { driver: 'csi.example.com', volumeHandle: 'h' } });
  expect(await cluster.events()).toEqual([
    'Normal ExternalExpanding PersistentVolumeClaim/data: waiting for an external controller to expand this PVC',
  ]);
  expect(cluster.spy.writes).toEqual([]);
});

it('an enlarged claim of a removed plugin is annotated with its CSI driver', async () => {
  await enlarge({ awsElasticBlockStore: { volumeID: 'vol-1' } });
  expect(await cluster.events()).toEqual([
    'Normal ExternalExpanding PersistentVolumeClaim/data: CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc',
  ]);
  const { metadata } = await cluster.clients.core.v1.persistentVolumeClaims('default').get('data');
  expect(metadata.annotations).toEqual({ 'volume.kubernetes.io/storage-resizer': 'ebs.csi.aws.com' });
});
