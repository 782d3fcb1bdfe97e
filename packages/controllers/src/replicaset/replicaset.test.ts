import type { ReplicaSet, ReplicaSetSpec } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { replicationControllerController } from '../replication-controller/index.ts';
import { replicaSetController } from './index.ts';
import { Pods } from './pods.test-data.ts';

let cluster: TestCluster;
let pods: Pods;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [replicaSetController, replicationControllerController] });
  pods = new Pods(cluster);
});
afterEach(() => cluster.stop());

const sets = () => cluster.clients.apps.v1.replicaSets('default');
const podClient = () => cluster.clients.core.v1.pods('default');
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };

/** Creates the ReplicaSet `web`. */
async function create(spec: Partial<ReplicaSetSpec> = {}): Promise<ReplicaSet> {
  const created = await sets().create({
    metadata: { name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template, ...spec },
  });
  await cluster.settle();
  return created;
}

async function scale(replicas: number): Promise<void> {
  await sets().patch('web', 'merge', { spec: { replicas } });
  await cluster.settle();
}

const status = async () => (await sets().get('web')).status;
const creations = (): number =>
  cluster.spy.writes.filter(({ method, url }) => method === 'POST' && url.endsWith('/pods')).length;
const nameOf = ({ metadata }: Pod): string => metadata.name!;

async function expectIdle(): Promise<void> {
  const before = cluster.spy.writes.length;
  await cluster.advance(3_600_000, 600_000);
  expect(cluster.spy.writes.slice(before)).toEqual([]);
}

describe('a ReplicaSet', () => {
  it('creates its pods, counts them, and then causes no writes', async () => {
    const { metadata } = await create();
    const made = await pods.list();
    expect(made).toHaveLength(3);
    expect(made[0]!.metadata).toMatchObject({
      generateName: 'web-',
      labels,
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(await status()).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    expect((await cluster.events()).sort()).toEqual(
      made.map((pod) => `Normal SuccessfulCreate ReplicaSet/web: Created pod: ${nameOf(pod)}`),
    );
    await pods.run(made.slice(0, 2));
    expect(await status()).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    expect(cluster.log).toEqual([]);
    await expectIdle();
  });

  it('deletes surplus pods in the documented order', async () => {
    await create({ replicas: 4 });
    const [first, second, third, fourth] = await pods.list();
    await pods.bind([first!, second!, third!]);
    await pods.run([second!, third!]);
    await podClient().patch(nameOf(second!), 'merge', {
      metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-1' } },
    });
    await cluster.settle();
    const gone: string[] = [];
    for (const replicas of [3, 2, 1]) {
      const before = await pods.staying();
      await scale(replicas);
      const after = new Set((await pods.staying()).map(nameOf));
      gone.push(...before.map(nameOf).filter((name) => !after.has(name)));
    }
    expect(gone).toEqual([fourth, first, second].map((pod) => nameOf(pod!)));
    expect(await status()).toEqual({
      replicas: 1,
      fullyLabeledReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      terminatingReplicas: 2,
      observedGeneration: 4,
    });
    expect((await cluster.events()).filter((event) => event.includes('Delete'))).toEqual(
      gone.map((name) => `Normal SuccessfulDelete ReplicaSet/web: Deleted pod: ${name}`),
    );
    await pods.reap();
    expect(await status()).toMatchObject({ replicas: 1, terminatingReplicas: 0 });
    await expectIdle();
  });

  it('replaces failed and terminating pods', async () => {
    await create();
    const [first, second] = await pods.list();
    await podClient().patch(nameOf(first!), 'merge', { status: { phase: 'Failed' } }, { subresource: 'status' });
    await cluster.settle();
    expect(await pods.list()).toHaveLength(4);
    await pods.bind([second!]);
    await podClient().delete(nameOf(second!));
    await cluster.settle();
    expect(await pods.list()).toHaveLength(5);
    expect(await status()).toMatchObject({ replicas: 3, terminatingReplicas: 1 });
  });

  it('counts a pod as available after minReadySeconds', async () => {
    await create({ replicas: 2, minReadySeconds: 10 });
    const [first, second] = await pods.list();
    await pods.run([first!]);
    await cluster.advance(4000);
    await pods.run([second!]);
    expect(await status()).not.toHaveProperty('availableReplicas');
    await cluster.advance(6000);
    expect(await status()).toMatchObject({ readyReplicas: 2, availableReplicas: 1 });
    await cluster.advance(4000);
    expect(await status()).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    await expectIdle();
  });

  it('adopts matching orphans and releases pods that no longer match', async () => {
    await podClient().create({ metadata: { name: 'orphan', labels }, spec: template.spec });
    await cluster.settle();
    const { metadata } = await create();
    expect(creations()).toBe(2);
    const owners = async (name: string) =>
      (await podClient().get(name)).metadata.ownerReferences?.map(({ uid }) => uid);
    expect(await owners('orphan')).toEqual([metadata.uid]);
    await podClient().patch('orphan', 'merge', { metadata: { labels: { app: 'other' } } });
    await cluster.settle();
    expect(await owners('orphan')).toBeUndefined();
    expect(await pods.list()).toHaveLength(4);
    await podClient().patch('orphan', 'merge', { metadata: { labels } });
    await cluster.settle();
    expect((await pods.list()).filter(({ metadata: { labels } }) => labels!.app === 'web')).toHaveLength(3);
    await expectIdle();
  });

  it('does not adopt pods while it is being deleted', async () => {
    await create({ replicas: 1 });
    await sets().delete('web', { propagationPolicy: 'Foreground' });
    await cluster.settle();
    await podClient().create({ metadata: { name: 'orphan', labels }, spec: template.spec });
    const pod = (await pods.list()).find(({ metadata }) => metadata.generateName);
    await podClient().delete(nameOf(pod!));
    await cluster.settle();
    expect((await podClient().get('orphan')).metadata.ownerReferences).toBeUndefined();
    expect(creations()).toBe(1);
  });

  it('does not create extra pods while its cache is stale', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The third creation is delayed. Events in the meantime must not cause others.
    cluster.spy.plan = async ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/pods') && creations() === 3) await held;
    };
    const creating = create();
    await cluster.until(async () => creations() === 3);
    await sets().patch('web', 'merge', { metadata: { annotations: { touched: 'yes' } } });
    release();
    await creating;
    expect(creations()).toBe(3);
    expect(await pods.list()).toHaveLength(3);
  });

  it('creates no extra pods after restarts of the controllers', async () => {
    await create({ replicas: 50 });
    for (let round = 0; round < 5; round++) {
      await sets().patch('web', 'merge', { spec: { replicas: 50 + 10 * (round + 1) } });
      await cluster.stopControllers();
      cluster.startControllers();
      await cluster.settle();
    }
    expect(await pods.list()).toHaveLength(100);
    expect(creations()).toBe(100);
    await expectIdle();
  });

  it('stops while creating pods without reporting a failure', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    cluster.spy.plan = async ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/pods') && creations() === 3) await held;
    };
    await sets().create({
      metadata: { name: 'web' },
      spec: { replicas: 100, selector: { matchLabels: labels }, template },
    });
    await cluster.until(async () => creations() === 3);
    const stopped = cluster.stopControllers();
    release();
    await stopped;
    expect(await pods.list()).toHaveLength(3);
    expect((await status())?.conditions).toBeUndefined();
    cluster.spy.plan = () => {};
    cluster.startControllers();
    await cluster.settle();
    expect(await pods.list()).toHaveLength(100);
    expect(creations()).toBe(100);
  });

  it('retries failed creations with backoff and reports them', async () => {
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/pods')) throw newInternalError(new Error('full'));
    };
    await create({ replicas: 100 });
    expect(creations()).toBeLessThan(5);
    const message = 'Internal error occurred: full';
    expect((await status())?.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        reason: 'FailedCreate',
        message,
      },
    ]);
    expect((await cluster.events())[0]).toBe(`Warning FailedCreate ReplicaSet/web: Error creating: ${message}`);
    cluster.spy.plan = () => {};
    await cluster.advance(1000);
    expect(await pods.list()).toHaveLength(100);
    expect((await status())?.conditions).toBeUndefined();
  });

  it('reports why pods cannot be deleted', async () => {
    await create();
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'DELETE' && url.includes('/pods/')) throw newInternalError(new Error('stuck'));
    };
    await scale(1);
    expect((await status())?.conditions).toMatchObject([
      { reason: 'FailedDelete', message: 'unable to delete pods: Internal error occurred: stuck' },
    ]);
    expect(await cluster.events()).toContainEqual(
      'Warning FailedDelete ReplicaSet/web: Error deleting: Internal error occurred: stuck',
    );
    cluster.spy.plan = () => {};
    await cluster.advance(1000);
    expect(await pods.list()).toHaveLength(1);
    await expectIdle();
  });

  it('updates its status in spite of a conflict', async () => {
    let conflicts = 0;
    cluster.spy.plan = ({ url }) => {
      if (url.endsWith('/web/status') && conflicts++ === 0) {
        throw newConflict(GroupResource.of('apps', 'replicasets'), 'web', new Error('changed'));
      }
    };
    await create();
    expect(await status()).toMatchObject({ replicas: 3 });
    expect(cluster.log).toEqual([]);
  });

  it('does not retry creating pods in a terminating namespace', async () => {
    const namespaces = cluster.clients.core.v1.namespaces();
    const going = cluster.clients.core.v1.pods('going');
    await namespaces.create({ metadata: { name: 'going' } });
    await cluster.clients.apps.v1
      .replicaSets('going')
      .create({ metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
    await cluster.settle();
    await namespaces.delete('going');
    await going.delete((await going.list()).items[0]!.metadata.name!);
    await cluster.settle();
    expect(creations()).toBe(2);
    expect((await going.list()).items).toEqual([]);
    expect((await cluster.events('going')).filter((event) => event.startsWith('Warning'))).toEqual([]);
    expect(cluster.log).toEqual([]);
  });
});

describe('a thousand replicas', () => {
  it('are created in two bursts', async () => {
    await create({ replicas: 1000 });
    expect(creations()).toBe(1000);
    const statusWrites = cluster.spy.writes.filter(({ url }) => url.endsWith('/status')).length;
    expect(statusWrites).toBeLessThanOrEqual(6);
    await scale(0);
    expect(await pods.list()).toEqual([]);
    await expectIdle();
  });
});

describe('a ReplicationController', () => {
  it('works like a ReplicaSet', async () => {
    const controllers = cluster.clients.core.v1.replicationControllers('default');
    await controllers.create({ metadata: { name: 'web' }, spec: { replicas: 2, selector: labels, template } });
    await cluster.settle();
    const made = await pods.list();
    expect(made.map(({ metadata }) => metadata.ownerReferences![0])).toMatchObject([
      { apiVersion: 'v1', kind: 'ReplicationController', name: 'web' },
      { apiVersion: 'v1', kind: 'ReplicationController', name: 'web' },
    ]);
    await pods.runAll();
    expect((await controllers.get('web')).status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      observedGeneration: 1,
    });
    expect((await cluster.events()).sort()).toEqual(
      made.map((pod) => `Normal SuccessfulCreate ReplicationController/web: Created pod: ${nameOf(pod)}`),
    );
    await controllers.patch('web', 'merge', { spec: { replicas: 0 } });
    await cluster.settle();
    expect(await pods.list()).toEqual([]);
    await expectIdle();
  });

  it('ignores the pods of a ReplicaSet of the same name', async () => {
    await create({ replicas: 1 });
    const controllers = cluster.clients.core.v1.replicationControllers('default');
    await controllers.create({ metadata: { name: 'web' }, spec: { replicas: 0, selector: labels, template } });
    await cluster.settle();
    expect(await pods.list()).toHaveLength(1);
    await expectIdle();
  });
});
