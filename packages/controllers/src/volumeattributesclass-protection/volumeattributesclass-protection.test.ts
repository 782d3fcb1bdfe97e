import { beforeEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { volumeAttributesClassProtectionController } from './index.ts';

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [volumeAttributesClassProtectionController] });
  return () => cluster.stop();
});

it('a class is kept while a claim or a volume references it', async () => {
  const { core, storage } = cluster.clients;
  const classes = storage.v1.volumeAttributesClasses();
  await classes.create({ metadata: { name: 'fast' }, driverName: 'csi.example.com', parameters: { iops: '1' } });
  await cluster.settle();
  // Admission adds the finalizer to new classes. Older ones have none.
  await classes.patch('fast', 'merge', { metadata: { finalizers: null } });
  await cluster.settle();
  expect((await classes.get('fast')).metadata.finalizers).toEqual(['kubernetes.io/vac-protection']);
  await core.v1.persistentVolumeClaims('default').create({
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeAttributesClassName: 'fast',
    },
  });
  await core.v1.persistentVolumes().create({
    metadata: { name: 'pv' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      csi: { driver: 'csi.example.com', volumeHandle: 'h' },
      volumeAttributesClassName: 'fast',
    },
  });
  await cluster.settle();
  await classes.delete('fast');
  await cluster.settle();
  expect((await classes.list()).items).toHaveLength(1);
  await core.v1.persistentVolumeClaims('default').patch('data', 'merge', { metadata: { finalizers: null } });
  await core.v1.persistentVolumeClaims('default').delete('data');
  await cluster.settle();
  expect((await classes.list()).items).toHaveLength(1);
  await core.v1.persistentVolumes().patch('pv', 'merge', { metadata: { finalizers: null } });
  await core.v1.persistentVolumes().delete('pv');
  await cluster.settle();
  expect((await classes.list()).items).toEqual([]);
  expect(cluster.spy.writes).toHaveLength(2);
});
