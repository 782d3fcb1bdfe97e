import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { jobController } from './index.ts';
import { completed, conditionsOf, failedWith, finalizer, JobScenario, podTemplate } from './job-scenario.test-data.ts';

let cluster: TestCluster;
let scenario: JobScenario;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [jobController] });
  scenario = new JobScenario(cluster);
});
afterEach(() => cluster.stop());

const start = '2026-01-01T00:00:00Z';

describe('a Job', () => {
  it('runs pods until its completions are reached', async () => {
    await scenario.create({ completions: 3, parallelism: 2 });
    const [first, second] = await scenario.activePods();
    const { metadata } = await scenario.job();
    expect(first!.metadata).toMatchObject({
      generateName: 'pi-',
      finalizers: [finalizer],
      labels: { 'job-name': 'pi', 'batch.kubernetes.io/controller-uid': metadata.uid },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: 'pi',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    const running = { startTime: start, terminating: 0, uncountedTerminatedPods: {} };
    expect((await scenario.job()).status).toEqual({ ...running, active: 2, ready: 0 });

    await scenario.start(first!, second!);
    expect((await scenario.job()).status).toEqual({ ...running, active: 2, ready: 2 });
    await scenario.succeed(first!);
    expect((await scenario.job()).status).toEqual({ ...running, active: 2, ready: 1, succeeded: 1 });

    await scenario.succeed(...(await scenario.activePods()));
    const { status } = await scenario.job();
    expect(status).toMatchObject({ ...running, ready: 0, succeeded: 3, completionTime: '2026-01-01T00:00:03Z' });
    expect(status?.active).toBeUndefined();
    expect(conditionsOf(await scenario.job())).toEqual(completed);
    for (const pod of await scenario.pods()) expect(pod.metadata.finalizers).toBeUndefined();
    expect(await scenario.events()).toEqual([
      ...Array<string>(3).fill('Normal SuccessfulCreate Job/pi: Created pod: pi-…'),
      'Normal Completed Job/pi: Job completed',
    ]);
  });

  it('records pods in the status before it counts them, and announces its outcome before it ends', async () => {
    await scenario.create();
    const [pod] = await scenario.activePods();
    const statuses: unknown[] = [];
    cluster.spy.plan = async ({ url }) => {
      if (url.includes('/pods/') || url.endsWith('/status')) {
        const job = await scenario.job();
        statuses.push([
          job.status?.uncountedTerminatedPods?.succeeded?.length ?? 0,
          job.status?.succeeded ?? 0,
          conditionsOf(job),
        ]);
      }
    };
    const writes = await scenario.writesOf(() => scenario.succeed(pod!));
    expect(writes).toEqual(['PUT jobs/pi/status', `PATCH pods/${pod!.metadata.name}`, 'PUT jobs/pi/status']);
    // The state before each write.
    expect(statuses).toEqual([
      [0, 0, []],
      [1, 0, completed.slice(0, 1)],
      [1, 0, completed.slice(0, 1)],
    ]);
  });

  it('causes no writes without changes, before and after its end', async () => {
    await scenario.create({ activeDeadlineSeconds: 100_000 });
    await scenario.tick();
    expect(await scenario.writesOf(() => cluster.advance(3600_000, 600_000))).toEqual([]);
    await scenario.succeed(...(await scenario.activePods()));
    expect(await scenario.writesOf(() => cluster.advance(3600_000, 600_000))).toEqual([]);
    await cluster.stopControllers();
    cluster.startControllers();
    expect(await scenario.writesOf(() => scenario.tick())).toEqual([]);
  });

  it('without completions waits for all active pods after the first success', async () => {
    await scenario.create({ parallelism: 3 });
    const [first, second, third] = await scenario.activePods();
    await scenario.succeed(first!);
    await scenario.fail(second!);
    await cluster.advance(60_000);
    expect((await scenario.job()).status).toMatchObject({ active: 1, succeeded: 1, failed: 1 });
    expect(await scenario.pods()).toHaveLength(3);
    await scenario.succeed(third!);
    expect(conditionsOf(await scenario.job())).toEqual(completed);
  });

  it('with zero completions is complete at once', async () => {
    await scenario.create({ completions: 0 });
    expect(conditionsOf(await scenario.job())).toEqual(completed);
    expect(await scenario.events()).toEqual(['Normal Completed Job/pi: Job completed']);
  });

  it('follows changes of its parallelism, and deletes the least active pods first', async () => {
    await scenario.create({ completions: 6, parallelism: 3 });
    const [busy] = await scenario.activePods();
    await scenario.start(busy!);
    await scenario.jobs.patch('pi', 'merge', { spec: { parallelism: 1 } });
    await cluster.settle();
    expect((await scenario.activePods()).map(({ metadata }) => metadata.uid)).toEqual([busy!.metadata.uid]);
    expect((await scenario.job()).status).toMatchObject({ active: 1, ready: 1 });
    await scenario.jobs.patch('pi', 'merge', { spec: { parallelism: 2 } });
    await scenario.tick();
    expect((await scenario.job()).status).toMatchObject({ active: 2, ready: 1, terminating: 0 });
    expect((await scenario.job()).status?.failed).toBeUndefined();
    expect(await scenario.events()).toEqual([
      ...Array<string>(3).fill('Normal SuccessfulCreate Job/pi: Created pod: pi-…'),
      ...Array<string>(2).fill('Normal SuccessfulDelete Job/pi: Deleted pod: pi-…'),
      'Normal SuccessfulCreate Job/pi: Created pod: pi-…',
    ]);
  });

  it('creates and counts at most 500 pods at a time', async () => {
    await scenario.create({ completions: 600, parallelism: 600, completionMode: 'Indexed' });
    expect((await scenario.job()).status?.active).toBe(500);
    await scenario.tick();
    expect((await scenario.job()).status?.active).toBe(600);
    await Promise.all((await scenario.activePods()).map((pod) => scenario.setStatus(pod, { phase: 'Succeeded' })));
    await scenario.tick();
    expect((await scenario.pods()).filter(({ metadata }) => metadata.finalizers)).toHaveLength(100);
    expect((await scenario.job()).status?.conditions).toHaveLength(1);
    await cluster.advance(2000, 1000);
    expect((await scenario.job()).status).toMatchObject({ succeeded: 600, completedIndexes: '0-599' });
    expect(conditionsOf(await scenario.job())).toEqual(completed);
  });

  it('managed by another controller is ignored', async () => {
    await scenario.create({ managedBy: 'example.com/queue' });
    expect(await scenario.writesOf(() => scenario.tick())).toEqual([]);
    expect(await scenario.pods()).toEqual([]);
    await scenario.create({ managedBy: 'kubernetes.io/job-controller' }, 'ours');
    expect(await scenario.pods()).toHaveLength(1);
  });
});

describe('failing pods', () => {
  it('are replaced with increasing delays up to the backoff limit', async () => {
    await scenario.create({ backoffLimit: 2 });
    for (const [failed, backoffSeconds] of [
      [1, 10],
      [2, 20],
    ] as const) {
      await scenario.fail((await scenario.activePods())[0]!);
      expect((await scenario.job()).status).toMatchObject({ failed, ready: 0 });
      await cluster.advance((backoffSeconds - 2) * 1000, 1000);
      expect(await scenario.activePods()).toEqual([]);
      await cluster.advance(1000);
      expect(await scenario.activePods()).toHaveLength(1);
      await cluster.advance(1000);
      expect((await scenario.job()).status).toMatchObject({ failed, active: 1 });
    }
    await scenario.fail((await scenario.activePods())[0]!);
    expect((await scenario.job()).status?.failed).toBe(3);
    const message = 'Job has reached the specified backoff limit';
    expect(conditionsOf(await scenario.job())).toEqual(failedWith('BackoffLimitExceeded', message));
    expect((await scenario.job()).status?.completionTime).toBeUndefined();
    expect((await scenario.events()).at(-1)).toBe(`Warning BackoffLimitExceeded Job/pi: ${message}`);
  });

  it('cause the deletion of the others, and the Job has failed when all are gone', async () => {
    await scenario.create({ backoffLimit: 0, completions: 3, parallelism: 3 });
    const [first, second, third] = await scenario.activePods();
    await scenario.start(second!);
    await scenario.bind(second!);
    await scenario.fail(first!);
    expect((await scenario.job()).status).toMatchObject({ failed: 3, ready: 0, terminating: 2 });
    expect(conditionsOf(await scenario.job())).toEqual([
      'FailureTarget=True BackoffLimitExceeded: Job has reached the specified backoff limit',
    ]);
    await scenario.remove(third!);
    await scenario.remove(second!);
    const { status } = await scenario.job();
    expect(status).toMatchObject({ failed: 3, terminating: 0 });
    expect(status?.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['FailureTarget', '2026-01-01T00:00:02Z'],
      ['Failed', '2026-01-01T00:00:04Z'],
    ]);
  });

  it('with restartPolicy OnFailure count by their restarts', async () => {
    await scenario.create({ backoffLimit: 2, template: podTemplate('OnFailure') });
    const [pod] = await scenario.activePods();
    const restarted = async (restartCount: number): Promise<void> => {
      const container = { name: 'main', ready: true, restartCount, image: 'pi:1', imageID: '', state: { running: {} } };
      await scenario.setStatus(pod!, { phase: 'Running', containerStatuses: [container] });
      await scenario.tick();
    };
    await restarted(1);
    expect(conditionsOf(await scenario.job())).toEqual([]);
    await restarted(2);
    expect(conditionsOf(await scenario.job())[0]).toMatch(/^FailureTarget=True BackoffLimitExceeded/);
  });

  it('are counted from the last success', async () => {
    await scenario.create({ completions: 3, parallelism: 2 });
    const [first, second] = await scenario.activePods();
    await scenario.fail(first!);
    await cluster.advance(5000, 1000);
    await scenario.succeed(second!);
    // The backoff of ten seconds does not apply.
    await cluster.advance(1000);
    expect(await scenario.activePods()).toHaveLength(2);
  });
});

describe('the deadline', () => {
  it('ends a Job that has been active too long', async () => {
    await scenario.create({ parallelism: 2, activeDeadlineSeconds: 30 });
    const [first, second] = await scenario.activePods();
    await scenario.start(first!);
    await cluster.advance(27_000, 1000);
    expect(conditionsOf(await scenario.job())).toEqual([]);
    await cluster.advance(2000, 1000);
    await scenario.remove(first!);
    await scenario.remove(second!);
    const message = 'Job was active longer than specified deadline';
    expect(conditionsOf(await scenario.job())).toEqual(failedWith('DeadlineExceeded', message));
    expect((await scenario.job()).status).toMatchObject({ failed: 2, terminating: 0 });
    expect((await scenario.events()).slice(2)).toEqual([
      ...Array<string>(2).fill('Normal SuccessfulDelete Job/pi: Deleted pod: pi-…'),
      `Warning DeadlineExceeded Job/pi: ${message}`,
    ]);
  });

  it('may be set on a running Job', async () => {
    await scenario.create();
    await cluster.advance(60_000);
    await scenario.jobs.patch('pi', 'merge', { spec: { activeDeadlineSeconds: 90 } });
    await cluster.settle();
    expect(conditionsOf(await scenario.job())).toEqual([]);
    await cluster.advance(30_000);
    expect(conditionsOf(await scenario.job())[0]).toMatch(/^FailureTarget=True DeadlineExceeded/);
  });
});

describe('suspension', () => {
  it('deletes pods without counting them, and resets the start time', async () => {
    await scenario.create({ parallelism: 2, suspend: true, activeDeadlineSeconds: 60 });
    expect((await scenario.job()).status).toMatchObject({ ready: 0, terminating: 0 });
    expect((await scenario.job()).status?.startTime).toBeUndefined();
    expect(await scenario.pods()).toEqual([]);
    const suspended = 'Suspended=True JobSuspended: Job suspended';
    const resumed = 'Suspended=False JobResumed: Job resumed';
    expect(conditionsOf(await scenario.job())).toEqual([suspended]);

    await cluster.advance(120_000);
    const setSuspend = async (suspend: boolean): Promise<void> => {
      await scenario.jobs.patch('pi', 'merge', { spec: { suspend } });
      await cluster.settle();
    };
    await setSuspend(false);
    expect((await scenario.job()).status).toMatchObject({ active: 2, startTime: '2026-01-01T00:02:00Z' });
    expect(conditionsOf(await scenario.job())).toEqual([resumed]);

    await setSuspend(true);
    const { status } = await scenario.job();
    expect(status).toMatchObject({ ready: 0, terminating: 2 });
    expect([status?.active, status?.failed, status?.startTime]).toEqual([undefined, undefined, undefined]);
    expect(conditionsOf(await scenario.job())).toEqual([suspended]);
    await cluster.advance(120_000);
    await setSuspend(false);
    await cluster.advance(58_000);
    expect(conditionsOf(await scenario.job())).toEqual([resumed]);
    await scenario.succeed(...(await scenario.activePods()));
    expect(conditionsOf(await scenario.job())).toEqual([resumed, ...completed]);
    expect((await scenario.events()).filter((event) => !event.includes('Successful'))).toEqual([
      'Normal Suspended Job/pi: Job suspended',
      'Normal Resumed Job/pi: Job resumed',
      'Normal Completed Job/pi: Job completed',
    ]);
  });
});

describe('pods that are deleted', () => {
  it('count as failed and are replaced while they are terminating', async () => {
    await scenario.create({ completions: 2, parallelism: 2 });
    const [first, second] = await scenario.activePods();
    await scenario.remove(first!);
    expect((await scenario.job()).status).toMatchObject({ active: 1, failed: 1 });
    await cluster.advance(10_000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 2, failed: 1 });

    await scenario.bind(second!);
    await scenario.evict(second!);
    expect((await scenario.job()).status).toMatchObject({ active: 1, failed: 2, terminating: 1 });
    await cluster.advance(20_000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 2, failed: 2, terminating: 1 });
    await scenario.remove(second!);
    expect((await scenario.job()).status).toMatchObject({ active: 2, failed: 2, terminating: 0 });
    await scenario.succeed(...(await scenario.activePods()));
    expect((await scenario.job()).status).toMatchObject({ succeeded: 2, failed: 2 });
    expect(conditionsOf(await scenario.job())).toEqual(completed);
  });

  it('are replaced only when they have ended with podReplacementPolicy Failed', async () => {
    await scenario.create({ completions: 2, parallelism: 2, podReplacementPolicy: 'Failed' });
    const [pod] = await scenario.activePods();
    await scenario.bind(pod!);
    await scenario.evict(pod!);
    await cluster.advance(60_000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 1, terminating: 1 });
    expect((await scenario.job()).status?.failed).toBeUndefined();
    await scenario.fail(pod!);
    await cluster.advance(10_000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 2, failed: 1, terminating: 0 });
  });

  it('lose their finalizer when their Job is deleted', async () => {
    await scenario.create({ completions: 3, parallelism: 3 });
    const [first] = await scenario.activePods();
    await scenario.succeed(first!);
    await scenario.jobs.delete('pi', { propagationPolicy: 'Background' });
    await cluster.settle();
    const pods = await scenario.pods();
    expect(pods).toHaveLength(3);
    for (const { metadata } of pods) expect(metadata.finalizers).toBeUndefined();
  });

  it('keep their finalizer if they have another controller', async () => {
    const controlled = [{ apiVersion: 'example.com/v1', kind: 'Job', name: 'x', uid: 'u', controller: true }];
    const create = (name: string, ownerReferences: typeof controlled) =>
      cluster.clients.core.v1.pods('default').create({
        metadata: { name, finalizers: [finalizer], ownerReferences },
        spec: { containers: [{ name: 'main', image: 'pi:1' }] },
      });
    await create('orphan', []);
    await create('of-another', controlled);
    await cluster.settle();
    const finalizers = (await scenario.pods()).map(({ metadata }) => [metadata.name, metadata.finalizers]);
    expect(Object.fromEntries(finalizers)).toEqual({ orphan: undefined, 'of-another': [finalizer] });
  });
});

describe('selectors', () => {
  it('that are set manually adopt and release pods', async () => {
    const pods = cluster.clients.core.v1.pods('default');
    const labels = { app: 'pi' };
    await pods.create({ metadata: { name: 'bare', labels }, ...podTemplate() });
    await cluster.settle();
    const template = { metadata: { labels }, ...podTemplate() };
    await scenario.create({
      completions: 2,
      parallelism: 2,
      manualSelector: true,
      selector: { matchLabels: labels },
      template,
    });
    const bare = await pods.get('bare');
    expect(bare.metadata).toMatchObject({ finalizers: [finalizer], ownerReferences: [{ kind: 'Job', name: 'pi' }] });
    expect(await scenario.pods()).toHaveLength(2);
    await scenario.succeed(bare);
    expect((await scenario.job()).status).toMatchObject({ active: 1, succeeded: 1 });

    const [other] = await scenario.activePods();
    await pods.patch(other!.metadata.name!, 'merge', { metadata: { labels: { app: 'else' } } });
    await cluster.advance(2000, 1000);
    const released = await pods.get(other!.metadata.name!);
    expect([released.metadata.finalizers, released.metadata.ownerReferences]).toEqual([undefined, undefined]);
    expect((await scenario.job()).status).toMatchObject({ active: 1, succeeded: 1 });
    expect(await scenario.activePods()).toHaveLength(2);
  });
});
