import { describe, expect, it } from 'vitest';
import { revisionData, templateIn } from '../framework/history/controller-revision.ts';

import {
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
  template,
  templateOf,
  told,
  useCluster,
  written,
} from './scenario.test-data.ts';

useCluster();

describe('a StatefulSet', () => {
  it('counts a pod as soon as it is created', async () => {
    const watch = await sets().watch();
    const counts: (number | undefined)[] = [];
    const following = (async () => {
      for await (const event of watch) {
        if (event.type !== 'MODIFIED') continue;
        const { observedGeneration, replicas, updatedReplicas } = event.object.status ?? {};
        if (observedGeneration) counts.push(replicas, updatedReplicas);
        return;
      }
    })();
    await create({ replicas: 1 });
    await following;
    watch.stop();
    // From the first status that the controller wrote.
    expect(counts).toEqual([1, 1]);
  });

  it('creates one pod after the other, each with its name and claim', async () => {
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
    // The name is the same as in upstream for the same set.
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

  it('creates and deletes all pods at once with parallel pod management', async () => {
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

  it('numbers its pods from ordinals.start', async () => {
    await create({ replicas: 2, ordinals: { start: 5 } });
    await pods.runAll();
    expect(await names()).toEqual(['web-5', 'web-6']);
    await patch({ ordinals: { start: 6 } });
    await pods.runAll();
    expect(await names()).toEqual(['web-6', 'web-7']);
    expect((await pods.list())[1]!.metadata.labels).toMatchObject({ 'apps.kubernetes.io/pod-index': '7' });
    await expectIdle();
  });

  it('replaces terminated pods after they no longer exist', async () => {
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

  it('continues only after a pod has been ready for minReadySeconds', async () => {
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

  it('only updates its status while it is being deleted', async () => {
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
  it('deletes the highest pods first, one after the other', async () => {
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

  it('waits while a needed pod is not ready', async () => {
    await create();
    await pods.runAll();
    await stall('web-0');
    await patch({ replicas: 1 });
    expect(await names()).toEqual(['web-0', 'web-1', 'web-2']);
    await run('web-0');
    expect(await names()).toEqual(['web-0']);
  });

  it('waits while two surplus pods are not ready, and continues when only the highest is not', async () => {
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
  it('replaces pods from the highest down, each when the previous one is available', async () => {
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

  it('does not update pods below the partition, even when they are recreated', async () => {
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

  it('that is rolled back makes the old revision the newest again', async () => {
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

  it('that is stuck continues only when the broken pod is deleted, even after a rollback', async () => {
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

  it('does not wait for broken pods with parallel pod management', async () => {
    await create({ podManagementPolicy: 'Parallel' });
    await pods.runAll();
    await patch({ template: templateOf('broken') });
    await stall('web-2');
    await patch({ template });
    await pods.runAll();
    expect(await images()).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1']);
  });

  it('replaces several pods at a time with maxUnavailable', async () => {
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

  it('with OnDelete waits until users delete pods', async () => {
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

  it('keeps old revisions up to revisionHistoryLimit', async () => {
    await create({ replicas: 1, revisionHistoryLimit: 2 });
    for (const image of ['web:2', 'web:3', 'web:4', 'web:5']) {
      await pods.runAll();
      await patch({ template: templateOf(image) });
    }
    await pods.runAll();
    expect((await revisions()).map(({ revision }) => revision)).toEqual([3, 4, 5]);
    await expectIdle();
  });

  it('uses another name for a revision whose name is taken', async () => {
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

  it('does not restart pods for a revision that only lacks newer defaults', async () => {
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
