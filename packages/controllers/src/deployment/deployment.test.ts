import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  hasProgressed,
  image,
  isProgressing,
  minimumAvailability,
  minutes,
  noMinimumAvailability,
  template,
  WebDeployment,
} from './web-deployment.test-data.ts';

let web: WebDeployment;
beforeEach(async () => {
  web = await WebDeployment.start();
});
afterEach(() => web.cluster.stop());

describe('a new deployment', () => {
  it('creates a ReplicaSet, waits for its pods, and then causes no writes', async () => {
    await web.create({}, { 'kubernetes.io/change-cause': 'first' });
    const before = await web.read();
    expect(before.status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      unavailableReplicas: 4,
      terminatingReplicas: 0,
    });
    expect(await web.conditions()).toEqual([noMinimumAvailability, isProgressing('web:1')]);
    expect(before.metadata.annotations).toEqual({
      'deployment.kubernetes.io/revision': '1',
      'kubernetes.io/change-cause': 'first',
    });
    const { 'web:1': set } = await web.sets();
    const hash = set!.metadata.labels!['pod-template-hash']!;
    expect(set).toMatchObject({
      metadata: {
        name: `web-${hash}`,
        labels: { app: 'web', 'pod-template-hash': hash },
        annotations: {
          'deployment.kubernetes.io/desired-replicas': '4',
          'deployment.kubernetes.io/max-replicas': '5',
          'deployment.kubernetes.io/revision': '1',
          'kubernetes.io/change-cause': 'first',
        },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'web',
            uid: before.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        replicas: 4,
        selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } },
        template: { metadata: { labels: { app: 'web', 'pod-template-hash': hash } } },
      },
    });

    await web.cluster.advance(3000);
    await web.pods.runAll();
    const { status } = await web.read();
    expect(status).toEqual({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      terminatingReplicas: 0,
      conditions: status!.conditions,
    });
    expect(await web.conditions()).toEqual([minimumAvailability, hasProgressed('web:1')]);
    const [available, progressing] = status!.conditions!;
    expect(available!.lastTransitionTime).toBe('2026-01-01T00:00:03Z');
    expect([progressing!.lastTransitionTime, progressing!.lastUpdateTime]).toEqual([
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:03Z',
    ]);
    expect(await web.story()).toEqual(['Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 4']);
    expect(web.cluster.log).toEqual([]);
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  it('is complete at once with zero replicas', async () => {
    await web.create({ replicas: 0 });
    expect(await web.conditions()).toEqual([minimumAvailability, hasProgressed('web:1')]);
    expect(await web.story()).toEqual([]);
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  it('has no Progressing condition without a deadline', async () => {
    await web.create({ progressDeadlineSeconds: 2 ** 31 - 1 });
    await web.pods.runAll();
    expect(await web.conditions()).toEqual([minimumAvailability]);
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  it('waits until pods have been ready for minReadySeconds', async () => {
    await web.create({ replicas: 2, minReadySeconds: 30 });
    await web.pods.runAll();
    expect((await web.read()).status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    await web.cluster.advance(29_000, 1000);
    expect((await web.read()).status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    await web.cluster.advance(1000);
    expect((await web.read()).status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    expect(await web.conditions()).toEqual([minimumAvailability, hasProgressed('web:1')]);
    await web.patch({ minReadySeconds: 60 });
    expect((await web.sets())['web:1']!.spec!.minReadySeconds).toBe(60);
    expect((await web.read()).status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
  });
});

describe('a rolling update', () => {
  it('proceeds step by step as new pods become available', async () => {
    await web.create();
    await web.pods.runAll();
    await web.patch(image('web:2'));
    expect(await web.sizes()).toEqual({ 'web:1': 3, 'web:2': 2 });
    const steps: unknown[] = [];
    for (;;) {
      const next = (await web.pods.staying()).find(({ status }) => status?.phase !== 'Running');
      if (!next) break;
      await web.pods.run([next]);
      steps.push(await web.sizes());
    }
    expect(steps).toEqual([
      { 'web:1': 2, 'web:2': 3 },
      { 'web:1': 1, 'web:2': 4 },
      { 'web:1': 0, 'web:2': 4 },
      { 'web:1': 0, 'web:2': 4 },
    ]);
    expect(await web.story()).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 4',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 0 to 1',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 4 to 3',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 1 to 2',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 3 to 2',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 2 to 3',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 2 to 1',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 3 to 4',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 1 to 0',
    ]);
    expect(await web.conditions()).toEqual([minimumAvailability, hasProgressed('web:2')]);
    expect((await web.read()).metadata.annotations!['deployment.kubernetes.io/revision']).toBe('2');
    expect(web.cluster.log).toEqual([]);
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  it('that exceeds its deadline can be rolled back', async () => {
    await web.create({}, { 'kubernetes.io/change-cause': 'first' });
    await web.pods.runAll();
    await web.patch(image('web:broken'));
    expect(await web.sizes()).toEqual({ 'web:1': 3, 'web:broken': 2 });
    await web.cluster.advance(600_000);
    expect(await web.conditions()).toEqual([minimumAvailability, isProgressing('web:broken')]);
    await web.cluster.advance(1000);
    const deadlineExceeded =
      'Progressing False ProgressDeadlineExceeded: ReplicaSet "web:broken" has timed out progressing.';
    expect(await web.conditions()).toEqual([minimumAvailability, deadlineExceeded]);
    expect((await web.read()).status).toMatchObject({
      availableReplicas: 3,
      unavailableReplicas: 2,
      updatedReplicas: 2,
    });
    expect(await web.writesWhenIdle()).toEqual([]);

    // What `kubectl rollout undo` does.
    await web.patch(image('web:1'));
    expect(await web.sizes()).toEqual({ 'web:1': 4, 'web:broken': 0 });
    expect(await web.conditions()).toEqual([minimumAvailability, isProgressing('web:1')]);
    await web.pods.runAll();
    expect(await web.conditions()).toEqual([minimumAvailability, hasProgressed('web:1')]);
    expect((await web.story()).slice(-2)).toEqual([
      'Normal ScalingReplicaSet Scaled down replica set web:broken from 2 to 0',
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 3 to 4',
    ]);
    expect((await web.sets())['web:1']!.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect((await web.read()).metadata.annotations!['deployment.kubernetes.io/revision']).toBe('3');
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  it('keeps its proportions when it is scaled meanwhile', async () => {
    const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
    await web.create({ replicas: 10, strategy: { type: 'RollingUpdate', rollingUpdate } });
    await web.pods.runAll();
    await web.patch(image('web:2'));
    expect(await web.sizes()).toEqual({ 'web:1': 8, 'web:2': 5 });
    await web.patch({ replicas: 15 });
    expect(await web.sizes()).toEqual({ 'web:1': 11, 'web:2': 7 });
    expect(await web.conditions()).toEqual([noMinimumAvailability, isProgressing('web:2')]);
    expect((await web.read()).status).toMatchObject({ replicas: 18, updatedReplicas: 7, unavailableReplicas: 10 });
    for (const set of Object.values(await web.sets())) {
      expect(set.metadata.annotations).toMatchObject({
        'deployment.kubernetes.io/desired-replicas': '15',
        'deployment.kubernetes.io/max-replicas': '18',
      });
    }
    await web.patch({ replicas: 5 });
    expect(await web.sizes()).toEqual({ 'web:1': 3, 'web:2': 5 });
    expect((await web.story()).slice(-6)).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 8 to 11',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 5 to 7',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 11 to 5',
      'Normal ScalingReplicaSet Scaled down replica set web:2 from 7 to 3',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 5 to 3',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 3 to 5',
    ]);
    await web.pods.runAll();
    expect(await web.sizes()).toEqual({ 'web:1': 0, 'web:2': 5 });
  });

  it('keeps old ReplicaSets up to revisionHistoryLimit', async () => {
    await web.create({ replicas: 1, revisionHistoryLimit: 2 });
    for (const version of [2, 3, 4, 5]) {
      await web.pods.runAll();
      await web.patch(image(`web:${version}`));
    }
    await web.pods.runAll();
    expect(await web.sizes()).toEqual({ 'web:3': 0, 'web:4': 0, 'web:5': 1 });
    expect(await web.writesWhenIdle()).toEqual([]);
  });
});

describe('a pause', () => {
  it('delays a new template but allows scaling', async () => {
    await web.create({ replicas: 2 });
    await web.pods.runAll();
    await web.patch({ paused: true });
    const isPaused = 'Progressing Unknown DeploymentPaused: Deployment is paused';
    expect(await web.conditions()).toEqual([minimumAvailability, isPaused]);
    await web.patch({ ...image('web:2'), replicas: 3 });
    expect(await web.sizes()).toEqual({ 'web:1': 3 });
    expect(await web.conditions()).toEqual([isPaused, noMinimumAvailability]);
    expect((await web.read()).status).toMatchObject({ replicas: 3, unavailableReplicas: 1, readyReplicas: 2 });
    expect(await web.writesWhenIdle()).toEqual([]);

    await web.patch({ paused: false });
    expect(await web.sizes()).toEqual({ 'web:1': 3, 'web:2': 1 });
    expect(await web.conditions()).toEqual([noMinimumAvailability, isProgressing('web:2')]);
    expect(await web.story()).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 2',
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 2 to 3',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 0 to 1',
    ]);
  });

  it('does not count towards the deadline', async () => {
    await web.create({ replicas: 1 });
    await web.cluster.advance(minutes(9));
    await web.patch({ paused: true });
    await web.cluster.advance(minutes(60));
    await web.patch({ paused: false });
    expect((await web.conditions()).at(-1)).toBe('Progressing Unknown DeploymentResumed: Deployment is resumed');
    await web.cluster.advance(minutes(9), minutes(3));
    expect((await web.conditions()).at(-1)).toBe('Progressing Unknown DeploymentResumed: Deployment is resumed');
    await web.cluster.advance(minutes(2));
    expect((await web.conditions()).at(-1)).toBe(
      'Progressing False ProgressDeadlineExceeded: ReplicaSet "web:1" has timed out progressing.',
    );
  });
});

describe('Recreate', () => {
  it('waits until the last old pod is deleted', async () => {
    await web.create({ replicas: 2, strategy: { type: 'Recreate' } });
    await web.pods.bind(await web.pods.list());
    await web.pods.runAll();
    await web.patch(image('web:2'));
    expect(await web.sizes()).toEqual({ 'web:1': 0 });
    expect((await web.read()).status).toMatchObject({ terminatingReplicas: 2, observedGeneration: 2 });
    expect(await web.conditions()).toEqual([hasProgressed('web:1'), noMinimumAvailability]);
    const [first] = await web.pods.list();
    await web.cluster.clients.core.v1.pods('default').delete(first!.metadata.name!, { gracePeriodSeconds: 0 });
    await web.cluster.settle();
    expect(await web.sizes()).toEqual({ 'web:1': 0 });
    await web.pods.reap();
    expect(await web.sizes()).toEqual({ 'web:1': 0, 'web:2': 2 });
    expect(await web.conditions()).toEqual([noMinimumAvailability, isProgressing('web:2')]);
    await web.pods.runAll();
    expect(await web.conditions()).toEqual([minimumAvailability, hasProgressed('web:2')]);
    expect(await web.story()).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 2',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 2 to 0',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 0 to 2',
    ]);
    expect(await web.writesWhenIdle()).toEqual([]);
  });
});

describe('a rollback by annotation', () => {
  it('is tried once and reported by events', async () => {
    await web.create({ replicas: 1 }, { note: 'first' });
    const ask = async (revision: string) => {
      const annotations = { 'deprecated.deployment.rollback.to': revision };
      await web.client.patch('web', 'merge', { metadata: { annotations } });
      await web.cluster.settle();
      expect((await web.read()).metadata.annotations).not.toHaveProperty(['deprecated.deployment.rollback.to']);
    };
    await ask('0');
    await ask('7');
    await ask('1');
    await web.client.patch('web', 'merge', { metadata: { annotations: { note: 'second' } } });
    await web.patch(image('web:2'));
    await ask('0');
    const { metadata, spec } = await web.read();
    expect(spec!.template.spec!.containers[0]!.image).toBe('web:1');
    expect(spec!.template.metadata!.labels).toEqual({ app: 'web' });
    expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '3', note: 'second' });
    expect(await web.story()).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 1',
      'Warning DeploymentRollbackRevisionNotFound Unable to find last revision.',
      'Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to.',
      'Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as current deployment "web"',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 0 to 1',
      'Normal DeploymentRollback Rolled back deployment "web" to revision 1',
    ]);
  });
});

describe('ownership of ReplicaSets', () => {
  it('adopts matching ReplicaSets and releases others', async () => {
    const labels = { app: 'web', tier: 'old' };
    await web.replicaSets.create({
      metadata: { name: 'old', labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { ...template('web:0'), metadata: { labels } },
      },
    });
    await web.cluster.settle();
    await web.create({ replicas: 1 });
    const { uid } = (await web.read()).metadata;
    expect((await web.replicaSets.get('old')).metadata.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true, blockOwnerDeletion: true },
    ]);
    await web.pods.runAll();
    expect((await web.replicaSets.get('old')).spec!.replicas).toBe(0);
    await web.replicaSets.patch('old', 'merge', { metadata: { labels: { app: 'none' } } });
    await web.cluster.settle();
    expect((await web.replicaSets.get('old')).metadata.ownerReferences).toBeUndefined();
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  it('uses an existing ReplicaSet with the same template', async () => {
    web.cluster.spy.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/pods')) throw newInternalError(new Error('full'));
    };
    await web.create({ replicas: 1 });
    await web.client.delete('web');
    const before = (await web.sets())['web:1']!;
    await web.replicaSets.patch(before.metadata.name!, 'merge', { metadata: { ownerReferences: null } });
    await web.create({ replicas: 1 });
    const after = (await web.sets())['web:1']!;
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.metadata.ownerReferences).toMatchObject([{ name: 'web', uid: (await web.read()).metadata.uid }]);
    expect(await web.conditions()).toEqual([
      'Progressing True FoundNewReplicaSet: Found new replica set "web:1"',
      noMinimumAvailability,
      'ReplicaFailure True FailedCreate: Internal error occurred: full',
    ]);
  });

  it('uses ReplicaSets that earlier versions named with other hashes', async () => {
    await web.create({ replicas: 2 });
    await web.pods.runAll();
    await relabelSet('6dbc5c5c99');
    const before = (await web.pods.list()).map(({ metadata }) => metadata.uid);

    web.cluster.startControllers();
    await web.cluster.settle();
    expect((await web.pods.list()).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect((await web.replicaSets.list()).items.map(({ metadata }) => metadata.name)).toEqual(['web-6dbc5c5c99']);
    await web.patch(image('web:2'));
    await web.pods.runAll();
    expect(await web.sizes()).toEqual({ 'web:1': 0, 'web:2': 2 });
    await web.patch(image('web:1'));
    await web.pods.runAll();
    expect(await web.sizes()).toEqual({ 'web:1': 2, 'web:2': 0 });
    expect((await web.sets())['web:1']!.metadata.name).toBe('web-6dbc5c5c99');
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  /** Stops the controllers and changes the hash of the only ReplicaSet and its pods. */
  async function relabelSet(hash: string): Promise<void> {
    await web.cluster.stopControllers();
    const [set] = (await web.replicaSets.list()).items;
    const { metadata, spec } = set!;
    const labels = { ...metadata.labels, 'pod-template-hash': hash };
    const { annotations, ownerReferences } = metadata;
    await web.replicaSets.delete(metadata.name!);
    const made = await web.replicaSets.create({
      metadata: {
        name: `web-${hash}`,
        labels,
        ...(annotations && { annotations }),
        ...(ownerReferences && { ownerReferences }),
      },
      spec: { ...spec!, selector: { matchLabels: labels }, template: { ...spec!.template, metadata: { labels } } },
    });
    for (const { metadata: pod } of await web.pods.list()) {
      const [owner] = pod.ownerReferences!;
      const owners = [{ ...owner!, name: made.metadata.name!, uid: made.metadata.uid! }];
      const client = web.cluster.clients.core.v1.pods('default');
      await client.patch(pod.name!, 'merge', { metadata: { labels, ownerReferences: owners } });
    }
  }

  it('only updates the status while the deployment is being deleted', async () => {
    await web.create({ replicas: 1 });
    await web.client.delete('web', { propagationPolicy: 'Foreground' });
    await web.patch(image('web:2'));
    expect(await web.sizes()).toEqual({ 'web:1': 1 });
    await web.pods.runAll();
    expect((await web.read()).status).toMatchObject({ observedGeneration: 3, availableReplicas: 1 });
    expect(await web.writesWhenIdle()).toEqual([]);
  });
});
