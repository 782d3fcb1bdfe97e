import type { Job } from '@coxswain/api/batch/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { jobController } from '../job/index.ts';
import { JobScenario } from '../job/job-scenario.test-data.ts';
import { remainingMs, ttlAfterFinishedController } from './index.ts';

let cluster: TestCluster;
let scenario: JobScenario;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [jobController, ttlAfterFinishedController] });
  scenario = new JobScenario(cluster);
});
afterEach(() => cluster.stop());

const names = async (): Promise<string[]> => {
  const { items } = await scenario.jobs.list();
  return items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name!);
};

it('deletes a finished Job after its time, and keeps others', async () => {
  await scenario.create({ ttlSecondsAfterFinished: 100 });
  await scenario.create({}, 'forever');
  await scenario.succeed(...(await scenario.activePods()));
  await scenario.create({ ttlSecondsAfterFinished: 0 }, 'running');
  await cluster.advance(99_000);
  expect(await names()).toEqual(['forever', 'pi', 'running']);
  await cluster.advance(1000);
  expect(await names()).toEqual(['forever', 'running']);
  // Foreground deletion: dependents are deleted first.
  expect((await scenario.job()).metadata.finalizers).toEqual(['foregroundDeletion']);
  const before = cluster.spy.writes.length;
  await cluster.advance(3600_000);
  expect(cluster.spy.writes).toHaveLength(before);
});

it('deletes a failed Job with zero seconds at once', async () => {
  await scenario.create({ ttlSecondsAfterFinished: 0, backoffLimit: 0 });
  await scenario.fail((await scenario.activePods())[0]!);
  expect(await names()).toEqual([]);
});

it('respects a time that is extended later', async () => {
  await scenario.create({ ttlSecondsAfterFinished: 100 });
  await scenario.succeed(...(await scenario.activePods()));
  await cluster.advance(50_000);
  await scenario.jobs.patch('pi', 'merge', { spec: { ttlSecondsAfterFinished: 200 } });
  await cluster.settle();
  await cluster.advance(149_000);
  expect(await names()).toEqual(['pi']);
  await cluster.advance(1000);
  expect(await names()).toEqual([]);
});

it('retries failed deletions, also for Jobs that expired while it was stopped', async () => {
  await scenario.create({ ttlSecondsAfterFinished: 10 });
  await scenario.succeed(...(await scenario.activePods()));
  await cluster.stopControllers();
  await cluster.advance(60_000);
  let failures = 2;
  cluster.spy.plan = ({ method }) => {
    if (method === 'DELETE' && failures-- > 0) throw newInternalError(new Error('broken'));
  };
  cluster.startControllers();
  await cluster.settle();
  expect(await names()).toEqual(['pi']);
  await cluster.advance(100, 10);
  expect(await names()).toEqual([]);
});

it('throws for a Job without finish time', () => {
  const job: Job = {
    metadata: { namespace: 'default', name: 'pi' },
    spec: { ttlSecondsAfterFinished: 1, template: {} },
    status: { conditions: [{ type: 'Complete', status: 'True' }] },
  };
  expect(() => remainingMs(job, 0)).toThrow('unable to find the time when the Job default/pi finished');
});
