import type { Pod } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { resourceClaimController } from './index.ts';

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [resourceClaimController] });
  return () => cluster.stop();
});

const claims = () => cluster.clients.resource.v1.resourceClaims('default');
const pods = () => cluster.clients.core.v1.pods('default');
const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } };

const createTemplate = () =>
  cluster.clients.resource.v1.resourceClaimTemplates('default').create({
    metadata: { name: 'gpu' },
    spec: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec },
  });

const pod = (name: string, more: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    resourceClaims: [{ name: 'g', resourceClaimTemplateName: 'gpu' }],
    ...more,
  },
});

/** Allocates the claim and reserves it for the pod, as the scheduler does. */
async function allocate(claimName: string, forPod?: Pod): Promise<void> {
  const claim = await claims().get(claimName);
  await claims().update({
    ...claim,
    metadata: { ...claim.metadata, finalizers: ['resource.kubernetes.io/delete-protection'] },
  });
  const { name = '', uid = '' } = forPod?.metadata ?? {};
  const reservedFor = forPod ? [{ resource: 'pods', name, uid }] : [];
  await claims().patchStatus(claimName, 'merge', { status: { allocation: { devices: {} }, reservedFor } });
}

const end = (name: string) => pods().patchStatus(name, 'merge', { status: { phase: 'Succeeded' } });

describe('a pod with a template', () => {
  it('gets a generated claim, whose name is in its status', async () => {
    await createTemplate();
    await cluster.settle();
    const { metadata } = await pods().create(pod('web'));
    await cluster.settle();
    const { items } = await claims().list();
    expect(items).toHaveLength(1);
    const [claim] = items;
    expect(claim?.metadata).toMatchObject({
      labels: { a: 'b' },
      annotations: { c: 'd', 'resource.kubernetes.io/pod-claim-name': 'g' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: metadata.uid, controller: true }],
    });
    expect(claim?.metadata.name).toMatch(/^web-g-.{5}$/);
    expect(claim?.spec).toMatchObject({ devices: { requests: [{ name: 'gpu' }] } });
    const { status } = await pods().get('web');
    expect(status?.resourceClaimStatuses).toEqual([{ name: 'g', resourceClaimName: claim?.metadata.name }]);
    const writes = cluster.spy.writes.length;
    expect(writes).toBe(2);
    await cluster.advance(600_000);
    expect(cluster.spy.writes.length).toBe(writes);
  });

  it('waits for the template and records an event', async () => {
    await pods().create(pod('web'));
    await cluster.settle();
    expect(await cluster.events()).toEqual([
      'Warning FailedResourceClaimCreation Pod/web: PodResourceClaim g: resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found',
    ]);
    await createTemplate();
    await cluster.settle();
    expect((await pods().get('web')).status?.resourceClaimStatuses).toHaveLength(1);
  });

  it('gets another claim when its claim is deleted', async () => {
    await createTemplate();
    await cluster.settle();
    await pods().create(pod('web'));
    await cluster.settle();
    const [first] = (await claims().list()).items;
    await claims().delete(first?.metadata.name ?? '');
    await cluster.settle();
    const [second] = (await claims().list()).items;
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
    expect((await pods().get('web')).status?.resourceClaimStatuses).toEqual([
      { name: 'g', resourceClaimName: second?.metadata.name },
    ]);
  });

  it('gets only one claim in spite of failures and a restart', async () => {
    await createTemplate();
    await cluster.settle();
    let failures = 2;
    cluster.spy.plan = ({ method }) => {
      if (method === 'PATCH' && failures-- > 0) throw newInternalError(new Error('out of order'));
    };
    await pods().create(pod('web'));
    await cluster.settle();
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.advance(10_000, 1000);
    expect((await claims().list()).items).toHaveLength(1);
    expect((await pods().get('web')).status?.resourceClaimStatuses).toHaveLength(1);
  });
});

describe('a claim', () => {
  it('that was generated is deleted when its pod has terminated', async () => {
    await createTemplate();
    await cluster.settle();
    const web = await pods().create(pod('web'));
    await cluster.settle();
    const name = (await claims().list()).items[0]?.metadata.name ?? '';
    await allocate(name, web);
    await cluster.settle();
    expect((await claims().get(name)).status?.reservedFor).toHaveLength(1);
    await end('web');
    await cluster.settle();
    expect((await claims().list()).items).toEqual([]);
  });

  it('that a user created is deallocated but not deleted', async () => {
    await claims().create({ metadata: { name: 'shared' }, spec });
    const own = { resourceClaims: [{ name: 'g', resourceClaimName: 'shared' }] };
    const [a, b] = [await pods().create(pod('a', own)), await pods().create(pod('b', own))];
    await allocate('shared', a);
    await claims().patchStatus('shared', 'merge', {
      status: {
        reservedFor: [a, b].map(({ metadata }) => ({ resource: 'pods', name: metadata.name!, uid: metadata.uid! })),
      },
    });
    await cluster.settle();
    await end('a');
    await cluster.settle();
    expect((await claims().get('shared')).status).toEqual({
      allocation: { devices: {} },
      reservedFor: [{ resource: 'pods', name: 'b', uid: b.metadata.uid }],
    });
    await pods().delete('b', { gracePeriodSeconds: 0 });
    await cluster.settle();
    const { metadata, status } = await claims().get('shared');
    expect([metadata.finalizers, status]).toEqual([undefined, {}]);
  });

  it('that is allocated is reserved for a pod that was bound without the scheduler', async () => {
    await claims().create({ metadata: { name: 'shared' }, spec });
    await allocate('shared');
    await cluster.settle();
    const own = { resourceClaims: [{ name: 'g', resourceClaimName: 'shared' }], nodeName: 'n1' };
    const { metadata } = await pods().create(pod('a', own));
    await cluster.settle();
    expect((await claims().get('shared')).status?.reservedFor).toEqual([
      { resource: 'pods', name: 'a', uid: metadata.uid },
    ]);
  });

  it('that is being deleted loses its finalizer when it is unused', async () => {
    await claims().create({ metadata: { name: 'shared' }, spec });
    await allocate('shared');
    await claims().delete('shared');
    await cluster.settle();
    expect((await claims().list()).items).toEqual([]);
  });
});
