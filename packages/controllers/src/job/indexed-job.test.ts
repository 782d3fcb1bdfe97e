import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { jobController } from './index.ts';
import {
  completed,
  conditionsOf,
  failedWith,
  failureCount,
  finalizer,
  ignoredCount,
  indexKey,
  JobScenario,
} from './job-scenario.test-data.ts';

let cluster: TestCluster;
let scenario: JobScenario;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [jobController] });
  scenario = new JobScenario(cluster);
});
afterEach(() => cluster.stop());

describe('an Indexed Job', () => {
  it('assigns an index to each pod and counts indexes', async () => {
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

  it('truncates a long name but not the index', async () => {
    await scenario.create({ completionMode: 'Indexed', completions: 1 }, 'p'.repeat(61));
    const [pod] = await scenario.pods();
    expect(pod!.metadata.generateName).toBe(`${'p'.repeat(55)}-0-`);
  });

  it('can be resized', async () => {
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

  it('keeps only one pod for each index', async () => {
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

  it('counts failures per index', async () => {
    await scenario.create({ completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1 });
    const first = await scenario.podOfIndex(1);
    expect(first.metadata.annotations).toEqual({ [indexKey]: '1', [failureCount]: '0' });
    expect((await scenario.job()).status).toMatchObject({ failedIndexes: '' });
    await scenario.fail(first);
    await scenario.succeed(await scenario.podOfIndex(0));
    // The failed pod is kept until its replacement has taken over its count.
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

  it('fails when too many indexes have failed', async () => {
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

  it('succeeds by its success policy while other pods are still running', async () => {
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

  it('fails an index, and counts ignored failures separately', async () => {
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
