import { newConflict, newForbidden, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { jobController } from './index.ts';
import { conditionsOf, JobScenario, podTemplate } from './job-scenario.test-data.ts';

let cluster: TestCluster;
let scenario: JobScenario;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [jobController] });
  scenario = new JobScenario(cluster);
});
afterEach(() => cluster.stop());

const finalizer = 'batch.kubernetes.io/job-tracking';
const indexKey = 'batch.kubernetes.io/job-completion-index';
const failureCount = 'batch.kubernetes.io/job-index-failure-count';
const ignoredCount = 'batch.kubernetes.io/job-index-ignored-failure-count';

const completed = [
  'SuccessCriteriaMet=True CompletionsReached: Reached expected number of succeeded pods',
  'Complete=True CompletionsReached: Reached expected number of succeeded pods',
];
const failedWith = (reason: string, message: string): string[] => [
  `FailureTarget=True ${reason}: ${message}`,
  `Failed=True ${reason}: ${message}`,
];
const start = '2026-01-01T00:00:00Z';

describe('a Job', () => {
  it('runs pods until enough have succeeded', async () => {
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

  it('writes each pod down before it counts it, and says how it ends before it has', async () => {
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
    // What there was before each of them.
    expect(statuses).toEqual([
      [0, 0, []],
      [1, 0, completed.slice(0, 1)],
      [1, 0, completed.slice(0, 1)],
    ]);
  });

  it('writes nothing while nothing happens, before and after its end', async () => {
    await scenario.create({ activeDeadlineSeconds: 100_000 });
    await scenario.tick();
    expect(await scenario.writesOf(() => cluster.advance(3600_000, 600_000))).toEqual([]);
    await scenario.succeed(...(await scenario.activePods()));
    expect(await scenario.writesOf(() => cluster.advance(3600_000, 600_000))).toEqual([]);
    await cluster.stopControllers();
    cluster.startControllers();
    expect(await scenario.writesOf(() => scenario.tick())).toEqual([]);
  });

  it('without a number of completions waits for all that run, once one has succeeded', async () => {
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

  it('of no completions is complete at once', async () => {
    await scenario.create({ completions: 0 });
    expect(conditionsOf(await scenario.job())).toEqual(completed);
    expect(await scenario.events()).toEqual(['Normal Completed Job/pi: Job completed']);
  });

  it('has as many pods as its parallelism, when that is changed; those go first that have done least', async () => {
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

  it('makes and counts five hundred pods at a time', async () => {
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

  it('of another controller is left alone', async () => {
    await scenario.create({ managedBy: 'example.com/queue' });
    expect(await scenario.writesOf(() => scenario.tick())).toEqual([]);
    expect(await scenario.pods()).toEqual([]);
    await scenario.create({ managedBy: 'kubernetes.io/job-controller' }, 'ours');
    expect(await scenario.pods()).toHaveLength(1);
  });
});

describe('failing pods', () => {
  it('are replaced, later each time, until they are too many', async () => {
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

  it('take those that run with them; the Job has failed when all are gone', async () => {
    await scenario.create({ backoffLimit: 0, completions: 3, parallelism: 3 });
    const [first, second, third] = await scenario.activePods();
    await scenario.start(second!);
    await bindTo('node-1', second!.metadata.name!);
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

  it('that restart by themselves count by their restarts', async () => {
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

  it('count from the last success on', async () => {
    await scenario.create({ completions: 3, parallelism: 2 });
    const [first, second] = await scenario.activePods();
    await scenario.fail(first!);
    await cluster.advance(5000, 1000);
    await scenario.succeed(second!);
    // Not ten seconds after the failure.
    await cluster.advance(1000);
    expect(await scenario.activePods()).toHaveLength(2);
  });
});

describe('the deadline', () => {
  it('ends a Job that is active too long', async () => {
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

  it('may be set later', async () => {
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
  it('deletes the pods without counting them, and begins anew when it ends', async () => {
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

describe('an Indexed Job', () => {
  it('gives each pod an index, and counts by these', async () => {
    await scenario.create({ completionMode: 'Indexed', completions: 5, parallelism: 4 });
    expect(await scenario.podOfIndex(2)).toMatchObject({
      metadata: { generateName: 'pi-2-', labels: { [indexKey]: '2' }, annotations: { [indexKey]: '2' } },
      spec: {
        hostname: 'pi-2',
        containers: [
          {
            env: [
              {
                name: 'JOB_COMPLETION_INDEX',
                valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${indexKey}']` } },
              },
            ],
          },
        ],
      },
    });
    await scenario.succeed(await scenario.podOfIndex(0), await scenario.podOfIndex(2));
    expect((await scenario.job()).status).toMatchObject({ active: 3, succeeded: 2, completedIndexes: '0,2' });
    await scenario.succeed(await scenario.podOfIndex(1), await scenario.podOfIndex(4));
    expect((await scenario.job()).status).toMatchObject({ active: 1, succeeded: 4, completedIndexes: '0-2,4' });
    await scenario.succeed(await scenario.podOfIndex(3));
    expect((await scenario.job()).status).toMatchObject({ succeeded: 5, completedIndexes: '0-4' });
    expect(conditionsOf(await scenario.job())).toEqual(completed);
  });

  it('cuts a long name, not the index', async () => {
    await scenario.create({ completionMode: 'Indexed', completions: 1 }, 'p'.repeat(61));
    const [pod] = await scenario.pods();
    expect(pod!.metadata.generateName).toBe(`${'p'.repeat(55)}-0-`);
  });

  it('can be made smaller and larger', async () => {
    await scenario.create({ completionMode: 'Indexed', completions: 4, parallelism: 4 });
    await scenario.succeed(await scenario.podOfIndex(3));
    const resize = async (size: number): Promise<void> => {
      await scenario.jobs.patch('pi', 'merge', { spec: { completions: size, parallelism: size } });
      await scenario.tick();
    };
    await resize(2);
    const { status } = await scenario.job();
    expect(status).toMatchObject({ active: 2 });
    expect([status?.succeeded, status?.completedIndexes]).toEqual([undefined, undefined]);
    await resize(3);
    expect((await scenario.job()).status).toMatchObject({ active: 3 });
    await scenario.succeed(...(await scenario.activePods()));
    expect((await scenario.job()).status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    expect(conditionsOf(await scenario.job())).toEqual(completed);
  });

  it('keeps one pod of each index', async () => {
    await scenario.create({ completionMode: 'Indexed', completions: 2, parallelism: 2 });
    const { metadata, spec } = await scenario.podOfIndex(1);
    const { labels, annotations, ownerReferences, finalizers, generateName } = metadata;
    await cluster.advance(5000);
    const pods = cluster.clients.core.v1.pods('default');
    const twin = {
      labels: labels!,
      annotations: annotations!,
      ownerReferences: ownerReferences!,
      finalizers: finalizers!,
    };
    await pods.create({ metadata: { ...twin, generateName: generateName! }, spec: { containers: spec!.containers } });
    await pods.create({
      metadata: { ...twin, annotations: {}, generateName: 'stray-' },
      spec: { containers: spec!.containers },
    });
    await scenario.tick();
    const names = (await scenario.activePods()).map((pod) => pod.metadata.name);
    expect(names.sort()).toEqual([(await scenario.podOfIndex(0)).metadata.name, metadata.name].sort());
  });

  it('fails by its indexes, each with failures of its own', async () => {
    await scenario.create({ completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1 });
    const first = await scenario.podOfIndex(1);
    expect(first.metadata.annotations).toEqual({ [indexKey]: '1', [failureCount]: '0' });
    expect((await scenario.job()).status).toMatchObject({ failedIndexes: '' });
    await scenario.fail(first);
    await scenario.succeed(await scenario.podOfIndex(0));
    // It stays until the next has taken its count over.
    expect(
      (await scenario.pods()).find(({ metadata }) => metadata.uid === first.metadata.uid)?.metadata.finalizers,
    ).toEqual([finalizer]);
    await cluster.advance(10_000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 2, failed: 1, succeeded: 1, failedIndexes: '' });
    const second = await scenario.podOfIndex(1);
    expect(second.metadata.annotations).toEqual({ [indexKey]: '1', [failureCount]: '1' });
    await scenario.fail(second);
    expect((await scenario.job()).status).toMatchObject({ active: 1, failed: 2, failedIndexes: '1' });
    await scenario.succeed(await scenario.podOfIndex(2));
    expect((await scenario.job()).status).toMatchObject({ completedIndexes: '0,2', failedIndexes: '1' });
    expect(conditionsOf(await scenario.job())).toEqual(failedWith('FailedIndexes', 'Job has failed indexes'));
  });

  it('fails when too many indexes have', async () => {
    const spec = { completions: 4, parallelism: 4, backoffLimitPerIndex: 0, maxFailedIndexes: 1 };
    await scenario.create({ completionMode: 'Indexed', ...spec });
    await scenario.fail(await scenario.podOfIndex(1));
    expect(conditionsOf(await scenario.job())).toEqual([]);
    const left = await scenario.activePods();
    await scenario.fail(await scenario.podOfIndex(3));
    for (const pod of left) await scenario.remove(pod);
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    expect(conditionsOf(await scenario.job())).toEqual(failedWith('MaxFailedIndexesExceeded', message));
    expect((await scenario.job()).status).toMatchObject({ failed: 4, failedIndexes: '1,3' });
  });

  it('is a success by its success policy, whatever still runs', async () => {
    const successPolicy = { rules: [{ succeededIndexes: '3' }, { succeededIndexes: '0-2', succeededCount: 1 }] };
    await scenario.create({ completionMode: 'Indexed', completions: 4, parallelism: 4, successPolicy });
    const others = (await scenario.activePods()).filter((pod) => pod.metadata.annotations?.[indexKey] !== '1');
    await scenario.succeed(await scenario.podOfIndex(1));
    expect(conditionsOf(await scenario.job())).toEqual([
      'SuccessCriteriaMet=True SuccessPolicy: Matched rules at index 1',
    ]);
    expect((await scenario.job()).status).toMatchObject({ terminating: 3, succeeded: 1 });
    for (const pod of others) await scenario.remove(pod);
    expect(conditionsOf(await scenario.job())).toEqual([
      'SuccessCriteriaMet=True SuccessPolicy: Matched rules at index 1',
      'Complete=True SuccessPolicy: Matched rules at index 1',
    ]);
    const { status } = await scenario.job();
    expect([status?.succeeded, status?.failed, status?.completedIndexes]).toEqual([1, undefined, '1']);
    expect((await scenario.events()).at(-1)).toBe('Normal Completed Job/pi: Job completed');
  });
});

describe('the pod failure policy', () => {
  const disruption = { type: 'DisruptionTarget', status: 'True' };

  it('ignores some failures and fails the Job for others', async () => {
    await scenario.create({
      completions: 2,
      parallelism: 2,
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
          { action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [42] } },
        ],
      },
    });
    const [first, second] = await scenario.activePods();
    await scenario.fail(first!, 137, { conditions: [disruption] });
    await cluster.advance(10_000, 1000);
    expect((await scenario.job()).status?.failed).toBeUndefined();
    const left = (await scenario.activePods()).find(({ metadata }) => metadata.uid !== second!.metadata.uid);
    await scenario.fail(second!, 42);
    await scenario.remove(left!);
    const message = `Container main for pod default/${second!.metadata.name} failed with exit code 42 matching FailJob rule at index 1`;
    expect(conditionsOf(await scenario.job())).toEqual(failedWith('PodFailurePolicy', message));
    expect((await scenario.events()).at(-1)).toBe(`Warning PodFailurePolicy Job/pi: ${message}`);
  });

  it('fails an index, and counts what it ignores apart', async () => {
    await scenario.create({
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 3,
      podFailurePolicy: {
        rules: [
          { action: 'FailIndex', onExitCodes: { operator: 'In', values: [7] } },
          { action: 'Ignore', onExitCodes: { operator: 'In', values: [8] } },
        ],
      },
    });
    await scenario.fail(await scenario.podOfIndex(0), 8);
    await cluster.advance(10_000, 1000);
    const replacement = await scenario.podOfIndex(0);
    expect(replacement.metadata.annotations).toEqual({ [indexKey]: '0', [failureCount]: '0', [ignoredCount]: '1' });
    expect((await scenario.job()).status).toMatchObject({ failedIndexes: '' });
    await scenario.fail(replacement, 7);
    expect((await scenario.job()).status).toMatchObject({ failed: 1, failedIndexes: '0' });
  });
});

describe('pods that go under a Job', () => {
  it('are failures, and are replaced while they go', async () => {
    await scenario.create({ completions: 2, parallelism: 2 });
    const [first, second] = await scenario.activePods();
    await scenario.remove(first!);
    expect((await scenario.job()).status).toMatchObject({ active: 1, failed: 1 });
    await cluster.advance(10_000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 2, failed: 1 });

    await bindTo('node-1', second!.metadata.name!);
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

  it('are replaced only when they have ended, if the Job wants it so', async () => {
    await scenario.create({ completions: 2, parallelism: 2, podReplacementPolicy: 'Failed' });
    const [pod] = await scenario.activePods();
    await bindTo('node-1', pod!.metadata.name!);
    await scenario.evict(pod!);
    await cluster.advance(60_000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 1, terminating: 1 });
    expect((await scenario.job()).status?.failed).toBeUndefined();
    await scenario.fail(pod!);
    await cluster.advance(10_000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 2, failed: 1, terminating: 0 });
  });

  it('with the Job leave no finalizer behind', async () => {
    await scenario.create({ completions: 3, parallelism: 3 });
    const [first] = await scenario.activePods();
    await scenario.succeed(first!);
    await scenario.jobs.delete('pi', { propagationPolicy: 'Background' });
    await cluster.settle();
    const pods = await scenario.pods();
    expect(pods).toHaveLength(3);
    for (const { metadata } of pods) expect(metadata.finalizers).toBeUndefined();
  });

  it('which belong to others keep what they have', async () => {
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
  it('of one’s own adopt pods and release them', async () => {
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

describe('when things go wrong', () => {
  const jobs = GroupResource.of('batch', 'jobs');

  it('counts no pod twice when the status cannot be written at once', async () => {
    await scenario.create({ completions: 2, parallelism: 2 });
    let failures = 2;
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'PUT' && url.endsWith('/status') && failures-- > 0)
        throw newConflict(jobs, 'pi', new Error('changed'));
    };
    const [first] = await scenario.activePods();
    await scenario.succeed(first!);
    expect((await scenario.job()).status?.succeeded).toBeUndefined();
    await cluster.advance(4000, 1000);
    expect((await scenario.job()).status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
  });

  it('counts those pods that it could let go, and the others later', async () => {
    await scenario.create({ completions: 3, parallelism: 2 });
    const [first, second] = await scenario.activePods();
    let isBroken = true;
    cluster.spy.plan = ({ method, url }) => {
      if (isBroken && method === 'PATCH' && url.endsWith(first!.metadata.name!))
        throw newInternalError(new Error('broken'));
    };
    await scenario.succeed(first!, second!);
    expect((await scenario.job()).status).toMatchObject({
      succeeded: 1,
      uncountedTerminatedPods: { succeeded: [first!.metadata.uid] },
    });
    isBroken = false;
    await cluster.advance(4000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 1, succeeded: 2, uncountedTerminatedPods: {} });
  });

  it('takes up where another left off, at every step', async () => {
    for (const [i, part] of ['jobs', 'pods/', 'jobs'].entries()) {
      const name = `pi-${i}`;
      await scenario.create({ backoffLimit: 0 }, name);
      await scenario.setStatus((await scenario.activePods())[0]!, { phase: 'Failed' });
      let writes = 0;
      cluster.spy.plan = ({ method, url }) => {
        if (method === 'GET' || !/\/(jobs|pods)\//.test(url)) return;
        if (writes++ === i) expect(url).toContain(part);
        if (writes > i) throw newInternalError(new Error('killed'));
      };
      await scenario.tick();
      await cluster.stopControllers();
      cluster.spy.plan = () => {};
      cluster.startControllers();
      await scenario.tick();
      const message = 'Job has reached the specified backoff limit';
      expect(conditionsOf(await scenario.job(name))).toEqual(failedWith('BackoffLimitExceeded', message));
      expect((await scenario.job(name)).status).toMatchObject({ failed: 1, uncountedTerminatedPods: {} });
    }
  });

  it('tells of pods that it may not create, and tries fewer at first', async () => {
    const pods = GroupResource.of('', 'pods');
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/pods')) throw newForbidden(pods, '', new Error('exceeded quota'));
    };
    const writes = await scenario.writesOf(() => scenario.create({ completions: 8, parallelism: 8 }));
    expect(writes.filter((write) => write.startsWith('POST'))).toHaveLength(1);
    expect((await scenario.job()).status?.active).toBeUndefined();
    expect(await scenario.events()).toEqual([
      'Warning FailedCreate Job/pi: Error creating: pods is forbidden: exceeded quota',
    ]);
    cluster.spy.plan = () => {};
    await cluster.advance(1000);
    expect((await scenario.job()).status).toMatchObject({ active: 8 });
    expect(await scenario.pods()).toHaveLength(8);
  });

  it('makes and counts nothing twice while its cache of pods is behind', async () => {
    let openGate = (): void => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'GET' && /\/pods\?.*watch=/.test(url)) return gate;
    };
    // By then the watch has come to its end, and the next one does not begin.
    await cluster.advance(11 * 60_000, 60_000);
    const writes = await scenario.writesOf(async () => {
      await scenario.create({ completions: 4, parallelism: 2 });
      await scenario.succeed((await scenario.activePods())[0]!);
      // Longer than expectations are waited for.
      await cluster.advance(6 * 60_000, 30_000);
    });
    expect(writes).toEqual(['POST pods', 'POST pods', 'PUT jobs/pi/status']);
    openGate();
    await cluster.advance(3000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 2, succeeded: 1 });
    expect(await scenario.pods()).toHaveLength(3);
  });

  it('makes no pod twice when it is started anew again and again', async () => {
    await scenario.create({ completions: 4, parallelism: 2 });
    for (let i = 0; i < 3; i++) {
      await scenario.succeed((await scenario.activePods())[0]!);
      await cluster.stopControllers();
      cluster.startControllers();
      await cluster.settle();
    }
    await scenario.tick();
    expect(await scenario.pods()).toHaveLength(4);
    expect((await scenario.job()).status).toMatchObject({ active: 1, succeeded: 3 });
  });
});

it('counts every pod once, whatever happens in which order', async () => {
  const action = fc.constantFrom('succeed', 'fail', 'remove', 'wait', 'restart', 'break', 'mend');
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
      const name = `run-${runs++}`;
      await scenario.create({ completions: 4, parallelism: 2, backoffLimit: 100 }, name);
      const ended = { succeed: 0, fail: 0, remove: 0 };
      for (const one of [...actions, 'mend']) {
        const [pod] = await scenario.activePods();
        if (one === 'break') {
          let writes = 0;
          cluster.spy.plan = ({ method }) => {
            if (method !== 'GET' && writes++ % 2 === 0) throw newInternalError(new Error('broken'));
          };
        } else if (one === 'mend') cluster.spy.plan = () => {};
        else if (one === 'restart') {
          await cluster.stopControllers();
          cluster.startControllers();
        } else if (one === 'wait') await cluster.advance(60_000, 5000);
        else if (pod && (one === 'succeed' || one === 'fail' || one === 'remove')) {
          ended[one]++;
          await scenario[one](pod);
        }
        await cluster.settle();
      }
      await cluster.advance(700_000, 100_000);
      const { status } = await scenario.job(name);
      const { succeeded = 0, failed = 0, active = 0 } = status ?? {};
      expect([succeeded, failed]).toEqual([ended.succeed, ended.fail + ended.remove]);
      expect(active).toBe(Math.min(2, 4 - succeeded));
      expect(await scenario.activePods()).toHaveLength(active);
      expect(await scenario.pods()).toHaveLength(succeeded + ended.fail + active);
      expect(status?.conditions !== undefined).toBe(succeeded === 4);
      expect(await scenario.writesOf(() => cluster.advance(60_000, 30_000))).toEqual([]);
      await scenario.jobs.delete(name, { propagationPolicy: 'Background' });
      await cluster.settle();
      await cluster.clients.core.v1.pods('default').deleteCollection({ gracePeriodSeconds: 0 });
      await cluster.settle();
    }),
    { numRuns: 10 },
  );
});

/** As the scheduler does: only what is on a node has a grace period. */
async function bindTo(nodeName: string, name: string): Promise<void> {
  const target = { kind: 'Node', name: nodeName };
  await cluster.clients.core.v1.pods('default').bind(name, { metadata: { name }, target });
}
