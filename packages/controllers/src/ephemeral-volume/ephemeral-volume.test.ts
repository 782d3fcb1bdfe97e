import type { Pod } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { beforeEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { ephemeralVolumeController } from './index.ts';

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [ephemeralVolumeController] });
  return () => cluster.stop();
});

const claims = () => cluster.clients.core.v1.persistentVolumeClaims('default');
const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
const pod: Pod = {
  metadata: { name: 'web' },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    volumes: [
      { name: 'plain', emptyDir: {} },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec } } },
    ],
  },
};

it('the claims of ephemeral volumes are created, and created again after deletion', async () => {
  const { metadata } = await cluster.clients.core.v1.pods('default').create(pod);
  await cluster.settle();
  const claim = await claims().get('web-scratch');
  expect(claim.metadata).toMatchObject({
    labels: { a: 'b' },
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
    ],
  });
  expect(claim.spec).toMatchObject(spec);
  expect(cluster.spy.writes).toHaveLength(1);
  await claims().patch('web-scratch', 'merge', { metadata: { finalizers: null } });
  await claims().delete('web-scratch');
  await cluster.settle();
  expect((await claims().get('web-scratch')).metadata.uid).not.toBe(claim.metadata.uid);
  await cluster.stopControllers();
  cluster.startControllers();
  await cluster.settle();
  expect(cluster.spy.writes).toHaveLength(2);
});

it('an existing claim with another owner is not used', async () => {
  await claims().create({ metadata: { name: 'web-scratch' }, spec });
  await cluster.settle();
  await cluster.clients.core.v1.pods('default').create(pod);
  await cluster.settle();
  expect(await cluster.events()).toEqual([
    'Warning FailedBinding Pod/web: ephemeral volume scratch: PVC default/web-scratch was not created for pod default/web (pod is not owner)',
  ]);
  expect(cluster.spy.writes).toEqual([]);
});

it('failures are reported by events and retried', async () => {
  let failures = 1;
  cluster.spy.plan = ({ method, url }) => {
    if (method === 'POST' && url.includes('persistentvolumeclaims') && failures-- > 0)
      throw newInternalError(new Error('out of order'));
  };
  await cluster.clients.core.v1.pods('default').create(pod);
  await cluster.settle();
  expect(await cluster.events()).toEqual([
    'Warning FailedBinding Pod/web: ephemeral volume scratch: create PVC web-scratch: Internal error occurred: out of order',
  ]);
  await cluster.advance(1000);
  expect((await claims().list()).items).toHaveLength(1);
});
