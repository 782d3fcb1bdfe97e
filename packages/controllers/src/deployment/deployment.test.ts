import type { Deployment, DeploymentSpec, ReplicaSet } from '@coxswain/api/apps/v1';
import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { templateHash } from '../framework/pod-template-hash.ts';
import { replicaSetController } from '../replicaset/index.ts';
import { Pods } from '../replicaset/pods.test-data.ts';
import { deploymentController } from './index.ts';

let cluster: TestCluster;
let pods: Pods;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [replicaSetController, deploymentController] });
  pods = new Pods(cluster);
});
afterEach(() => cluster.stop());

const deployments = () => cluster.clients.apps.v1.deployments('default');
const replicaSets = () => cluster.clients.apps.v1.replicaSets('default');
/** By the controllers, so far. */
const podsCreated = (): number =>
  cluster.spy.writes.filter(({ method, url }) => method === 'POST' && url.endsWith('/pods')).length;

const minutes = (count: number): number => count * 60_000;

const template = (image = 'web:1') => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }] },
});

/** The deployment `web`. */
async function deploy(spec: Partial<DeploymentSpec> = {}, annotations: Record<string, string> = {}): Promise<void> {
  const selector = { matchLabels: { app: 'web' } };
  await deployments().create({
    metadata: { name: 'web', annotations },
    spec: { replicas: 4, selector, template: template(), ...spec },
  });
  await cluster.settle();
}

async function patch(spec: Parameters<typeof patchSpec>[0]): Promise<void> {
  await patchSpec(spec);
  await cluster.settle();
}
const patchSpec = (spec: {
  replicas?: number;
  paused?: boolean;
  minReadySeconds?: number;
  template?: { spec: { containers: { name: string; image: string }[] } };
}) => deployments().patch('web', 'strategic-merge', { spec });

const image = (image: string) => ({ template: { spec: { containers: [{ name: 'web', image }] } } });

const read = (): Promise<Deployment> => deployments().get('web');
const imageOf = ({ spec }: ReplicaSet): string => spec!.template!.spec!.containers[0]!.image!;

/** The sets by image. */
async function sets(): Promise<Record<string, ReplicaSet>> {
  const { items } = await replicaSets().list();
  return Object.fromEntries(items.map((set) => [imageOf(set), set]));
}

/** How large each set is to be, by image. */
async function sizes(): Promise<Record<string, number>> {
  return Object.fromEntries(Object.entries(await sets()).map(([image, { spec }]) => [image, spec!.replicas!]));
}

/** `Progressing True ReplicaSetUpdated: …`, with images for the names of sets. */
async function conditions(): Promise<string[]> {
  const { status } = await read();
  return await named((status?.conditions ?? []).map((it) => `${it.type} ${it.status} ${it.reason}: ${it.message}`));
}

/** The deployment's events, with images for the names of sets. */
async function story(): Promise<string[]> {
  const events = (await cluster.events()).filter((event) => event.includes('Deployment/web'));
  return await named(events.map((event) => event.replace(' Deployment/web:', '')));
}

async function named(texts: readonly string[]): Promise<string[]> {
  const all = Object.values(await sets());
  return texts.map((text) => all.reduce((result, set) => result.replace(set.metadata.name!, imageOf(set)), text));
}

const minimumAvailability = 'Available True MinimumReplicasAvailable: Deployment has minimum availability.';
const noMinimumAvailability =
  'Available False MinimumReplicasUnavailable: Deployment does not have minimum availability.';
const isProgressing = (image: string): string =>
  `Progressing True ReplicaSetUpdated: ReplicaSet "${image}" is progressing.`;
const hasProgressed = (image: string): string =>
  `Progressing True NewReplicaSetAvailable: ReplicaSet "${image}" has successfully progressed.`;

/** Nothing but the passing of time leads to no write. */
async function expectIdle(): Promise<void> {
  const before = cluster.spy.writes.length;
  await cluster.advance(minutes(30), minutes(5));
  expect(cluster.spy.writes.slice(before)).toEqual([]);
}

describe('a roll-out from nothing', () => {
  it('makes a set, waits for its pods, and then writes nothing more', async () => {
    await deploy({}, { 'kubernetes.io/change-cause': 'first' });
    const before = await read();
    expect(before.status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      unavailableReplicas: 4,
      terminatingReplicas: 0,
    });
    expect(await conditions()).toEqual([noMinimumAvailability, isProgressing('web:1')]);
    expect(before.metadata.annotations).toEqual({
      'deployment.kubernetes.io/revision': '1',
      'kubernetes.io/change-cause': 'first',
    });
    const { 'web:1': set } = await sets();
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

    await cluster.advance(3000);
    await pods.runAll();
    const { status } = await read();
    expect(status).toEqual({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      terminatingReplicas: 0,
      conditions: status!.conditions,
    });
    expect(await conditions()).toEqual([minimumAvailability, hasProgressed('web:1')]);
    const [available, progressing] = status!.conditions!;
    expect(available!.lastTransitionTime).toBe('2026-01-01T00:00:03Z');
    expect([progressing!.lastTransitionTime, progressing!.lastUpdateTime]).toEqual([
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:03Z',
    ]);
    expect(await story()).toEqual(['Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 4']);
    expect(cluster.log).toEqual([]);
    await expectIdle();
  });

  it('is over at once when no pods are wanted', async () => {
    await deploy({ replicas: 0 });
    expect(await conditions()).toEqual([minimumAvailability, hasProgressed('web:1')]);
    expect(await story()).toEqual([]);
    await expectIdle();
  });

  it('says nothing of progress without a deadline', async () => {
    await deploy({ progressDeadlineSeconds: 2 ** 31 - 1 });
    await pods.runAll();
    expect(await conditions()).toEqual([minimumAvailability]);
    await expectIdle();
  });

  it('waits until pods have been ready for long enough', async () => {
    await deploy({ replicas: 2, minReadySeconds: 30 });
    await pods.runAll();
    expect((await read()).status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    await cluster.advance(29_000, 1000);
    expect((await read()).status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    await cluster.advance(1000);
    expect((await read()).status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    expect(await conditions()).toEqual([minimumAvailability, hasProgressed('web:1')]);
    await patch({ minReadySeconds: 60 });
    expect((await sets())['web:1']!.spec!.minReadySeconds).toBe(60);
    expect((await read()).status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
  });
});

describe('a rolling update', () => {
  it('goes step by step as new pods become available', async () => {
    await deploy();
    await pods.runAll();
    await patch(image('web:2'));
    expect(await sizes()).toEqual({ 'web:1': 3, 'web:2': 2 });
    const steps: unknown[] = [];
    for (;;) {
      const next = (await pods.staying()).find(({ status }) => status?.phase !== 'Running');
      if (!next) break;
      await pods.run([next]);
      steps.push(await sizes());
    }
    expect(steps).toEqual([
      { 'web:1': 2, 'web:2': 3 },
      { 'web:1': 1, 'web:2': 4 },
      { 'web:1': 0, 'web:2': 4 },
      { 'web:1': 0, 'web:2': 4 },
    ]);
    expect(await story()).toEqual([
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
    expect(await conditions()).toEqual([minimumAvailability, hasProgressed('web:2')]);
    expect((await read()).metadata.annotations!['deployment.kubernetes.io/revision']).toBe('2');
    expect(cluster.log).toEqual([]);
    await expectIdle();
  });

  it('gets stuck, misses its deadline, and is undone', async () => {
    await deploy({}, { 'kubernetes.io/change-cause': 'first' });
    await pods.runAll();
    await patch(image('web:broken'));
    expect(await sizes()).toEqual({ 'web:1': 3, 'web:broken': 2 });
    await cluster.advance(600_000);
    expect(await conditions()).toEqual([minimumAvailability, isProgressing('web:broken')]);
    await cluster.advance(1000);
    const deadlineExceeded =
      'Progressing False ProgressDeadlineExceeded: ReplicaSet "web:broken" has timed out progressing.';
    expect(await conditions()).toEqual([minimumAvailability, deadlineExceeded]);
    expect((await read()).status).toMatchObject({ availableReplicas: 3, unavailableReplicas: 2, updatedReplicas: 2 });
    await expectIdle();

    // What `kubectl rollout undo` does.
    await patch(image('web:1'));
    expect(await sizes()).toEqual({ 'web:1': 4, 'web:broken': 0 });
    expect(await conditions()).toEqual([minimumAvailability, isProgressing('web:1')]);
    await pods.runAll();
    expect(await conditions()).toEqual([minimumAvailability, hasProgressed('web:1')]);
    expect((await story()).slice(-2)).toEqual([
      'Normal ScalingReplicaSet Scaled down replica set web:broken from 2 to 0',
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 3 to 4',
    ]);
    expect((await sets())['web:1']!.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect((await read()).metadata.annotations!['deployment.kubernetes.io/revision']).toBe('3');
    await expectIdle();
  });

  it('keeps its proportions when it is scaled on the way', async () => {
    const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
    await deploy({ replicas: 10, strategy: { type: 'RollingUpdate', rollingUpdate } });
    await pods.runAll();
    await patch(image('web:2'));
    expect(await sizes()).toEqual({ 'web:1': 8, 'web:2': 5 });
    await patch({ replicas: 15 });
    expect(await sizes()).toEqual({ 'web:1': 11, 'web:2': 7 });
    expect(await conditions()).toEqual([noMinimumAvailability, isProgressing('web:2')]);
    expect((await read()).status).toMatchObject({ replicas: 18, updatedReplicas: 7, unavailableReplicas: 10 });
    for (const set of Object.values(await sets())) {
      expect(set.metadata.annotations).toMatchObject({
        'deployment.kubernetes.io/desired-replicas': '15',
        'deployment.kubernetes.io/max-replicas': '18',
      });
    }
    await patch({ replicas: 5 });
    expect(await sizes()).toEqual({ 'web:1': 3, 'web:2': 5 });
    expect((await story()).slice(-6)).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 8 to 11',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 5 to 7',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 11 to 5',
      'Normal ScalingReplicaSet Scaled down replica set web:2 from 7 to 3',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 5 to 3',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 3 to 5',
    ]);
    await pods.runAll();
    expect(await sizes()).toEqual({ 'web:1': 0, 'web:2': 5 });
  });

  it('keeps as many old sets as it is told', async () => {
    await deploy({ replicas: 1, revisionHistoryLimit: 2 });
    for (const version of [2, 3, 4, 5]) {
      await pods.runAll();
      await patch(image(`web:${version}`));
    }
    await pods.runAll();
    expect(await sizes()).toEqual({ 'web:3': 0, 'web:4': 0, 'web:5': 1 });
    await expectIdle();
  });
});

describe('a pause', () => {
  it('holds a new template back, but lets the deployment be scaled', async () => {
    await deploy({ replicas: 2 });
    await pods.runAll();
    await patch({ paused: true });
    const isPaused = 'Progressing Unknown DeploymentPaused: Deployment is paused';
    expect(await conditions()).toEqual([minimumAvailability, isPaused]);
    await patch({ ...image('web:2'), replicas: 3 });
    expect(await sizes()).toEqual({ 'web:1': 3 });
    expect(await conditions()).toEqual([isPaused, noMinimumAvailability]);
    expect((await read()).status).toMatchObject({ replicas: 3, unavailableReplicas: 1, readyReplicas: 2 });
    await expectIdle();

    await patch({ paused: false });
    expect(await sizes()).toEqual({ 'web:1': 3, 'web:2': 1 });
    expect(await conditions()).toEqual([noMinimumAvailability, isProgressing('web:2')]);
    expect(await story()).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 2',
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 2 to 3',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 0 to 1',
    ]);
  });

  it('is no time towards the deadline', async () => {
    await deploy({ replicas: 1 });
    await cluster.advance(minutes(9));
    await patch({ paused: true });
    await cluster.advance(minutes(60));
    await patch({ paused: false });
    expect((await conditions()).at(-1)).toBe('Progressing Unknown DeploymentResumed: Deployment is resumed');
    await cluster.advance(minutes(9), minutes(3));
    expect((await conditions()).at(-1)).toBe('Progressing Unknown DeploymentResumed: Deployment is resumed');
    await cluster.advance(minutes(2));
    expect((await conditions()).at(-1)).toBe(
      'Progressing False ProgressDeadlineExceeded: ReplicaSet "web:1" has timed out progressing.',
    );
  });
});

describe('Recreate', () => {
  it('waits until the last old pod is gone', async () => {
    await deploy({ replicas: 2, strategy: { type: 'Recreate' } });
    await pods.bind(await pods.list());
    await pods.runAll();
    await patch(image('web:2'));
    expect(await sizes()).toEqual({ 'web:1': 0 });
    expect((await read()).status).toMatchObject({ terminatingReplicas: 2, observedGeneration: 2 });
    expect(await conditions()).toEqual([hasProgressed('web:1'), noMinimumAvailability]);
    const [first] = await pods.list();
    await cluster.clients.core.v1.pods('default').delete(first!.metadata.name!, { gracePeriodSeconds: 0 });
    await cluster.settle();
    expect(await sizes()).toEqual({ 'web:1': 0 });
    await pods.reap();
    expect(await sizes()).toEqual({ 'web:1': 0, 'web:2': 2 });
    expect(await conditions()).toEqual([noMinimumAvailability, isProgressing('web:2')]);
    await pods.runAll();
    expect(await conditions()).toEqual([minimumAvailability, hasProgressed('web:2')]);
    expect(await story()).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 2',
      'Normal ScalingReplicaSet Scaled down replica set web:1 from 2 to 0',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 0 to 2',
    ]);
    await expectIdle();
  });
});

describe('a rollback by annotation', () => {
  it('is tried once, and told of', async () => {
    await deploy({ replicas: 1 }, { note: 'first' });
    const ask = async (revision: string) => {
      const annotations = { 'deprecated.deployment.rollback.to': revision };
      await deployments().patch('web', 'merge', { metadata: { annotations } });
      await cluster.settle();
      expect((await read()).metadata.annotations).not.toHaveProperty(['deprecated.deployment.rollback.to']);
    };
    await ask('0');
    await ask('7');
    await ask('1');
    await deployments().patch('web', 'merge', { metadata: { annotations: { note: 'second' } } });
    await patch(image('web:2'));
    await ask('0');
    const { metadata, spec } = await read();
    expect(spec!.template.spec!.containers[0]!.image).toBe('web:1');
    expect(spec!.template.metadata!.labels).toEqual({ app: 'web' });
    expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '3', note: 'second' });
    expect(await story()).toEqual([
      'Normal ScalingReplicaSet Scaled up replica set web:1 from 0 to 1',
      'Warning DeploymentRollbackRevisionNotFound Unable to find last revision.',
      'Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to.',
      'Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as current deployment "web"',
      'Normal ScalingReplicaSet Scaled up replica set web:2 from 0 to 1',
      'Normal DeploymentRollback Rolled back deployment "web" to revision 1',
    ]);
  });
});

describe('what can go wrong', () => {
  it('takes another name for its set when the first is taken', async () => {
    const selector = { matchLabels: { app: 'other' } };
    const other = { ...template(), metadata: { labels: { app: 'other' } } };
    await deploy({ replicas: 0 });
    const { spec } = await read();
    await deployments().delete('web');
    for (const { metadata } of (await replicaSets().list()).items) await replicaSets().delete(metadata.name!);
    const taken = `web-${templateHash(spec!.template)}`;
    await replicaSets().create({ metadata: { name: taken }, spec: { replicas: 0, selector, template: other } });
    await cluster.settle();

    await deploy({ replicas: 1 });
    await cluster.advance(1000);
    const { status } = await read();
    expect(status!.collisionCount).toBe(1);
    const names = (await replicaSets().list()).items.map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual([taken, `web-${templateHash(spec!.template, 1)}`].sort());
    await pods.runAll();
    expect(await pods.list()).toHaveLength(1);
    await expectIdle();
  });

  it('tells why pods cannot be made, until they can', async () => {
    const quotas = cluster.clients.core.v1.resourceQuotas('default');
    const quota = await quotas.create({ metadata: { name: 'q' }, spec: { hard: { pods: '1' } } });
    await quotas.updateStatus({ ...quota, status: { hard: { pods: '1' }, used: { pods: '0' } } });
    await deploy({ replicas: 3 });
    expect(await pods.list()).toHaveLength(1);
    const set = (await sets())['web:1']!;
    const forbidden =
      /^pods "web-[^"]+" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1$/;
    expect(set.status!.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        reason: 'FailedCreate',
        message: expect.stringMatching(forbidden),
      },
    ]);
    expect((await read()).status!.conditions).toContainEqual({
      ...set.status!.conditions![0],
      lastUpdateTime: '2026-01-01T00:00:00Z',
    });
    const failures = (await cluster.events()).filter((event) => event.startsWith('Warning'));
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) {
      expect(failure).toMatch(
        /^Warning FailedCreate ReplicaSet\/web-\w+: (\(combined from similar events\): )?Error creating: pods "web-[^"]+" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1$/,
      );
    }
    await quotas.delete('q');
    await cluster.advance(minutes(20), minutes(1));
    expect(await pods.list()).toHaveLength(3);
    expect((await sets())['web:1']!.status!.conditions).toBeUndefined();
    expect((await conditions()).some((condition) => condition.startsWith('ReplicaFailure'))).toBe(false);
  });

  it('tells why its set cannot be made', async () => {
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/replicasets')) throw newInternalError(new Error('no room'));
    };
    await deploy({ replicas: 1 });
    const failed = /^Failed to create new replica set "web-\w+": Internal error occurred: no room$/;
    expect((await read()).status!.conditions).toEqual([
      expect.objectContaining({
        type: 'Progressing',
        status: 'False',
        reason: 'ReplicaSetCreateError',
        message: expect.stringMatching(failed),
      }),
    ]);
    expect((await story())[0]).toMatch(/^Warning ReplicaSetCreateError Failed to create new replica set "web-\w+": /);
    cluster.spy.plan = () => {};
    await cluster.advance(minutes(3), 1000);
    expect(await conditions()).toEqual([noMinimumAvailability, isProgressing('web:1')]);
  });

  it('gets there in spite of conflicts and errors', async () => {
    let calls = 0;
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'GET' || url.includes('/events')) return;
      calls++;
      if (calls % 3 === 0) throw newInternalError(new Error('unlucky'));
      if (calls % 5 === 0) throw newConflict(GroupResource.of('apps', 'replicasets'), 'web', new Error('changed'));
    };
    await deploy();
    await patchSpec(image('web:2'));
    for (let round = 0; round < 30; round++) {
      await cluster.advance(minutes(1), 5000);
      await pods.runAll();
    }
    cluster.spy.plan = () => {};
    await cluster.advance(minutes(20), minutes(1));
    expect(await sizes()).toMatchObject({ 'web:2': 4 });
    expect(await pods.list()).toHaveLength(4);
    expect(await conditions()).toEqual([minimumAvailability, hasProgressed('web:2')]);
    await expectIdle();
  });

  it('goes on where it was when the controllers are started again', async () => {
    await deploy();
    await pods.runAll();
    for (const version of [2, 3]) {
      await patchSpec(image(`web:${version}`));
      for (let step = 0; step < 10; step++) {
        await cluster.stopControllers();
        cluster.startControllers();
        await cluster.settle();
        const next = (await pods.staying()).find(({ status }) => status?.phase !== 'Running');
        if (next) await pods.run([next]);
      }
    }
    expect(await sizes()).toEqual({ 'web:1': 0, 'web:2': 0, 'web:3': 4 });
    expect(await conditions()).toEqual([minimumAvailability, hasProgressed('web:3')]);
    expect(podsCreated()).toBe(12);
    await expectIdle();
  });
});

describe('whose sets they are', () => {
  it('adopts what matches and releases what does not', async () => {
    const labels = { app: 'web', tier: 'old' };
    await replicaSets().create({
      metadata: { name: 'old', labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { ...template('web:0'), metadata: { labels } },
      },
    });
    await cluster.settle();
    await deploy({ replicas: 1 });
    const { uid } = (await read()).metadata;
    expect((await replicaSets().get('old')).metadata.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true, blockOwnerDeletion: true },
    ]);
    await pods.runAll();
    expect((await replicaSets().get('old')).spec!.replicas).toBe(0);
    await replicaSets().patch('old', 'merge', { metadata: { labels: { app: 'none' } } });
    await cluster.settle();
    expect((await replicaSets().get('old')).metadata.ownerReferences).toBeUndefined();
    await expectIdle();
  });

  it('only looks on while it is being deleted', async () => {
    await deploy({ replicas: 1 });
    await deployments().delete('web', { propagationPolicy: 'Foreground' });
    await patch(image('web:2'));
    expect(await sizes()).toEqual({ 'web:1': 1 });
    await pods.runAll();
    expect((await read()).status).toMatchObject({ observedGeneration: 3, availableReplicas: 1 });
    await expectIdle();
  });
});

describe('a thousand replicas', () => {
  it('are made and replaced, each once, with few other writes', async () => {
    await deploy({ replicas: 1000 });
    expect(podsCreated()).toBe(1000);
    expect(cluster.spy.writes.length).toBeLessThan(1000 + 15);
    await pods.runAll();
    const before = cluster.spy.writes.length;
    await patch(image('web:2'));
    await pods.runAll();
    expect(await sizes()).toEqual({ 'web:1': 0, 'web:2': 1000 });
    expect(podsCreated()).toBe(2000);
    const others = cluster.spy.writes.slice(before).filter(({ url }) => !url.includes('/pods'));
    expect(others.length).toBeLessThan(150);
    expect(await pods.list()).toHaveLength(1000);
    await expectIdle();
  }, 120_000);
});
