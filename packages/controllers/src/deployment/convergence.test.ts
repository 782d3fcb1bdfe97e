import type { ReplicaSet } from '@coxswain/api/apps/v1';
import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { deletionHandlingKey, SharedInformerFactory } from '@coxswain/client';
import { isPodReady } from '@coxswain/component-helpers';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { templateHash } from '../framework/hash/pod-template-hash.ts';
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

describe('a deployment with failures', () => {
  it('uses another name for its ReplicaSet when the first is taken', async () => {
    const selector = { matchLabels: { app: 'other' } };
    const other = { ...template(), metadata: { labels: { app: 'other' } } };
    await web.create({ replicas: 0 });
    const { spec } = await web.read();
    await web.client.delete('web');
    for (const { metadata } of (await web.replicaSets.list()).items) await web.replicaSets.delete(metadata.name!);
    const taken = `web-${templateHash(spec!.template)}`;
    await web.replicaSets.create({ metadata: { name: taken }, spec: { replicas: 0, selector, template: other } });
    await web.cluster.settle();

    await web.create({ replicas: 1 });
    await web.cluster.advance(1000);
    const { status } = await web.read();
    expect(status!.collisionCount).toBe(1);
    const names = (await web.replicaSets.list()).items.map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual([taken, `web-${templateHash(spec!.template, 1)}`].sort());
    await web.pods.runAll();
    expect(await web.pods.list()).toHaveLength(1);
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  it('has a ReplicaFailure condition while pods cannot be created', async () => {
    const quotas = web.cluster.clients.core.v1.resourceQuotas('default');
    const quota = await quotas.create({ metadata: { name: 'q' }, spec: { hard: { pods: '1' } } });
    await quotas.updateStatus({ ...quota, status: { hard: { pods: '1' }, used: { pods: '0' } } });
    await web.create({ replicas: 3 });
    expect(await web.pods.list()).toHaveLength(1);
    const set = (await web.sets())['web:1']!;
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
    expect((await web.read()).status!.conditions).toContainEqual({
      ...set.status!.conditions![0],
      lastUpdateTime: '2026-01-01T00:00:00Z',
    });
    const failures = (await web.cluster.events()).filter((event) => event.startsWith('Warning'));
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) {
      expect(failure).toMatch(
        /^Warning FailedCreate ReplicaSet\/web-\w+: (\(combined from similar events\): )?Error creating: pods "web-[^"]+" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1$/,
      );
    }
    await quotas.delete('q');
    await web.cluster.advance(minutes(20), minutes(1));
    expect(await web.pods.list()).toHaveLength(3);
    expect((await web.sets())['web:1']!.status!.conditions).toBeUndefined();
    expect((await web.conditions()).some((condition) => condition.startsWith('ReplicaFailure'))).toBe(false);
  });

  it('reports why its ReplicaSet cannot be created', async () => {
    web.cluster.spy.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/replicasets')) throw newInternalError(new Error('no room'));
    };
    await web.create({ replicas: 1 });
    const failed = /^Failed to create new replica set "web-\w+": Internal error occurred: no room$/;
    expect((await web.read()).status!.conditions).toEqual([
      expect.objectContaining({
        type: 'Progressing',
        status: 'False',
        reason: 'ReplicaSetCreateError',
        message: expect.stringMatching(failed),
      }),
    ]);
    expect((await web.story())[0]).toMatch(
      /^Warning ReplicaSetCreateError Failed to create new replica set "web-\w+": /,
    );
    web.cluster.spy.plan = () => {};
    await web.cluster.advance(minutes(3), 10_000);
    expect(await web.conditions()).toEqual([noMinimumAvailability, isProgressing('web:1')]);
  });

  it('completes in spite of conflicts and errors', async () => {
    let calls = 0;
    web.cluster.spy.plan = ({ method, url }) => {
      if (method === 'GET' || url.includes('/events')) return;
      calls++;
      if (calls % 3 === 0) throw newInternalError(new Error('unlucky'));
      if (calls % 5 === 0) throw newConflict(GroupResource.of('apps', 'replicasets'), 'web', new Error('changed'));
    };
    await web.create();
    await web.client.patch('web', 'strategic-merge', { spec: image('web:2') });
    for (let round = 0; round < 10; round++) {
      await web.cluster.advance(minutes(1), 15_000);
      await web.pods.runAll();
    }
    web.cluster.spy.plan = () => {};
    await web.cluster.advance(minutes(20), minutes(1));
    expect(await web.sizes()).toMatchObject({ 'web:2': 4 });
    expect(await web.pods.list()).toHaveLength(4);
    expect(await web.conditions()).toEqual([minimumAvailability, hasProgressed('web:2')]);
    expect(await web.writesWhenIdle()).toEqual([]);
  });

  it('continues after restarts of the controllers', async () => {
    await web.create();
    await web.pods.runAll();
    for (const version of [2, 3]) {
      await web.client.patch('web', 'strategic-merge', { spec: image(`web:${version}`) });
      for (let step = 0; step < 10; step++) {
        await web.cluster.stopControllers();
        web.cluster.startControllers();
        await web.cluster.settle();
        const next = (await web.pods.staying()).find(({ status }) => status?.phase !== 'Running');
        if (next) await web.pods.run([next]);
      }
    }
    expect(await web.sizes()).toEqual({ 'web:1': 0, 'web:2': 0, 'web:3': 4 });
    expect(await web.conditions()).toEqual([minimumAvailability, hasProgressed('web:3')]);
    expect(web.podsCreated()).toBe(12);
    expect(await web.writesWhenIdle()).toEqual([]);
  });
});

describe('a thousand replicas', () => {
  it('are created and replaced once each, with few other writes', async () => {
    await web.create({ replicas: 1000 });
    expect(web.podsCreated()).toBe(1000);
    expect(web.cluster.spy.writes.length).toBeLessThan(1000 + 15);
    await web.pods.runAll();
    const before = web.cluster.spy.writes.length;
    await web.patch(image('web:2'));
    await web.pods.runAll();
    expect(await web.sizes()).toEqual({ 'web:1': 0, 'web:2': 1000 });
    expect(web.podsCreated()).toBe(2000);
    const others = web.cluster.spy.writes.slice(before).filter(({ url }) => !url.includes('/pods'));
    expect(others.length).toBeLessThan(150);
    expect(await web.pods.list()).toHaveLength(1000);
    expect(await web.writesWhenIdle()).toEqual([]);
  }, 120_000);
});

type Edit =
  | { readonly do: 'scale'; readonly replicas: number }
  | { readonly do: 'image'; readonly version: number }
  | { readonly do: 'pause' | 'resume' | 'restart' | 'run' | 'delete pod' | 'delete set' | 'fail' | 'wait' };

const edits = fc.array(
  fc.oneof<fc.Arbitrary<Edit>[]>(
    fc.record({ do: fc.constant('scale' as const), replicas: fc.nat(8) }),
    fc.record({ do: fc.constant('image' as const), version: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constantFrom('pause', 'resume', 'restart', 'run', 'delete pod', 'delete set', 'fail', 'wait') }),
  ),
  { minLength: 5, maxLength: 25 },
);

describe('a deployment after random edits', () => {
  beforeEach(() => web.cluster.stop());

  it('reaches its desired state and then causes no writes', async () => {
    await fc.assert(
      fc.asyncProperty(edits, async (todo) => {
        web = await WebDeployment.start();
        const { cluster } = web;
        await web.create({ replicas: 3 });
        for (const edit of todo) await doEdit(edit);
        cluster.spy.plan = () => {};
        await web.patch({ paused: false });
        // Long enough for all retries and for expectations to expire.
        for (let i = 0; i < 4; i++) {
          await cluster.advance(minutes(5));
          await web.pods.runAll();
        }
        const { spec, status } = await web.read();
        const wanted = spec!.template.spec!.containers[0]!.image!;
        const running = (await web.pods.list()).map(({ spec }) => spec!.containers[0]!.image);
        expect(running).toEqual(Array.from({ length: spec!.replicas! }, () => wanted));
        expect(Object.entries(await web.sizes()).filter(([, size]) => size > 0)).toEqual(
          spec!.replicas! > 0 ? [[wanted, spec!.replicas]] : [],
        );
        expect(status).toMatchObject({ observedGeneration: (await web.read()).metadata.generation });
        const findings = (status?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`);
        expect(findings.sort()).toEqual([
          'Available True MinimumReplicasAvailable',
          'Progressing True NewReplicaSetAvailable',
        ]);
        expect(await web.writesWhenIdle()).toEqual([]);
        await cluster.stop();
      }),
      { numRuns: 6 },
    );
    web = await WebDeployment.start();
  }, 120_000);

  async function doEdit(edit: Edit): Promise<void> {
    const { cluster } = web;
    if (edit.do === 'scale') await web.patch({ replicas: edit.replicas });
    else if (edit.do === 'image') await web.patch(image(`web:${edit.version}`));
    else if (edit.do === 'pause' || edit.do === 'resume') await web.patch({ paused: edit.do === 'pause' });
    else if (edit.do === 'run') await web.pods.run((await web.pods.staying()).slice(0, 2));
    else if (edit.do === 'wait') await cluster.advance(30_000);
    else if (edit.do === 'restart') {
      await cluster.stopControllers();
      cluster.startControllers();
    } else if (edit.do === 'fail') {
      let calls = 0;
      cluster.spy.plan = ({ method, url }) => {
        if (method === 'GET' || url.includes('/events')) return;
        calls++;
        if (calls % 3 === 0) throw newInternalError(new Error('unlucky'));
        if (calls % 4 === 0) throw newConflict(GroupResource.of('apps', 'replicasets'), 'web', new Error('changed'));
      };
    } else if (edit.do === 'delete pod') {
      const [pod] = await web.pods.staying();
      if (pod) await cluster.clients.core.v1.pods('default').delete(pod.metadata.name!);
    } else {
      const [set] = Object.values(await web.sets());
      if (set?.spec?.replicas === 0) await web.replicaSets.delete(set.metadata.name!);
    }
  }
});

describe('a rolling update on a cluster', () => {
  it('never exceeds its limits, in whatever order pods become ready', async () => {
    const rollingUpdate = { maxSurge: 2, maxUnavailable: 1 };
    await web.create({ replicas: 6, strategy: { type: 'RollingUpdate', rollingUpdate } });
    await web.pods.runAll();
    const problems: string[] = [];
    const stop = new AbortController();
    const informers = watchLimits({ max: 8, min: 5 }, problems);
    informers.start(stop.signal);
    await informers.waitForCacheSync();
    await web.patch(image('web:2'));
    let seed = 7;
    for (;;) {
      const waiting = (await web.pods.staying()).filter(({ status }) => status?.phase !== 'Running');
      if (waiting.length === 0) break;
      seed = (seed * 16807) % 2147483647;
      await web.pods.run([waiting[seed % waiting.length]!]);
    }
    stop.abort();
    await informers.shutdown();
    expect(problems).toEqual([]);
    expect(await web.sizes()).toEqual({ 'web:1': 0, 'web:2': 6 });
  });

  /** Records violations on every change of ReplicaSets and pods. At the start the number of pods is `max`. */
  function watchLimits({ max, min }: { max: number; min: number }, problems: string[]): SharedInformerFactory {
    const informers = new SharedInformerFactory(web.cluster.clients);
    const sizes = new Map<string, number>();
    const note = ({ metadata, spec }: ReplicaSet): void => {
      sizes.set(metadata.name!, spec!.replicas!);
      const total = [...sizes.values()].reduce((a, b) => a + b);
      if (total > max) problems.push(`${total} pods`);
    };
    informers.apps.v1.replicaSets.informer.addEventHandler({ onAdd: note, onUpdate: (_, set) => note(set) });

    const ready = new Set<string>();
    const { informer } = informers.core.v1.pods;
    const gone = (name: string): void => {
      ready.delete(name);
      if (ready.size < min) problems.push(`${ready.size} ready`);
    };
    informer.addEventHandler({
      onAdd: (pod) => void (isPodReady(pod) && ready.add(pod.metadata.name!)),
      onUpdate: (_, pod) => void (isPodReady(pod) && ready.add(pod.metadata.name!)),
      onDelete: (pod) => gone(deletionHandlingKey(pod).replace('default/', '')),
    });
    return informers;
  }
});
