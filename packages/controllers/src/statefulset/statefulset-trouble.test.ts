import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  claimClient,
  claims,
  claimTemplate,
  cluster,
  create,
  expectIdle,
  fail,
  images,
  labels,
  nameOf,
  names,
  patch,
  podClient,
  pods,
  revisionClient,
  revisions,
  run,
  sets,
  stall,
  startCluster,
  status,
  templateOf,
  told,
  useCluster,
  written,
} from './scenario.test-data.ts';

useCluster();

describe('claims', () => {
  const ownersOf = async (name: string): Promise<string[] | undefined> =>
    (await claimClient().get(name)).metadata.ownerReferences?.map((owner) => `${owner.kind}/${owner.name}`);

  it('are kept when pods are deleted, and used again', async () => {
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

  it('are owned by the set if the policy says so, also when it is changed later', async () => {
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

  it('are owned by a scaled-down pod if the policy says so, and are not used by another', async () => {
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
    // The claim of the earlier pod will be deleted by the garbage collector.
    await patch({ replicas: 2 });
    expect(await names()).toEqual(['web-0']);
    await claimClient().patch('data-web-1', 'merge', { metadata: { finalizers: [] } });
    await claimClient().delete('data-web-1');
    await patch({ replicas: 3 });
    // The cache may have contained the old claim several times, which leads to retries with backoff.
    await cluster.advance(10_000, 1000);
    await pods.runAll();
    expect(await names()).toEqual(['web-0', 'web-1', 'web-2']);
    expect(await ownersOf('data-web-1')).toEqual(['StatefulSet/web']);
    await expectIdle();
  });

  it('are created again for pending pods', async () => {
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

  it('with another controller are not changed', async () => {
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

describe('a StatefulSet with failures', () => {
  const quota = async (hard: Record<string, string>): Promise<void> => {
    const quotas = cluster.clients.core.v1.resourceQuotas('default');
    await quotas.create({ metadata: { name: 'q' }, spec: { hard } });
    const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
    await quotas.patch('q', 'merge', { status: { hard, used } }, { subresource: 'status' });
  };

  it('reports why a pod cannot be created, and retries', async () => {
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

  it('reports why a claim cannot be created', async () => {
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

  it('reports why a pod cannot be deleted, and retries', async () => {
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

  it('repairs the identity labels of its pods', async () => {
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

  it('adopts pods and revisions that an earlier set of its name left as orphans, and no others', async () => {
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

  it('releases a pod that no longer matches, and waits for its name', async () => {
    await create({ replicas: 1 });
    await pods.runAll();
    await podClient().patch('web-0', 'merge', { metadata: { labels: { app: 'mine' } } });
    await cluster.settle();
    expect((await podClient().get('web-0')).metadata.ownerReferences).toBeUndefined();
    await podClient().delete('web-0');
    await cluster.advance(10_000, 1000);
    expect((await pods.list()).map(({ metadata }) => metadata.labels?.app)).toEqual(['web']);
  });

  it('updates its status in spite of a conflict', async () => {
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

  it('continues after restarts of the controllers', async () => {
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
  it('are created and deleted in parallel, with one request each', async () => {
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

describe('a StatefulSet after random steps', () => {
  it('has exactly the desired pods and causes no further writes', async () => {
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
            // Every `to`-th write fails.
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
