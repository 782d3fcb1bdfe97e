import type { CronJob, CronJobSpec, Job } from '@coxswain/api/batch/v1';
import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { FakeClock } from '@coxswain/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { podTemplate } from '../job/job-scenario.test-data.ts';
import { cronJobController } from './index.ts';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [cronJobController] });
});
afterEach(() => cluster.stop());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const cronJobs = () => cluster.clients.batch.v1.cronJobs('default');
const jobs = () => cluster.clients.batch.v1.jobs('default');

async function create(spec: Partial<CronJobSpec> = {}, name = 'report'): Promise<CronJob> {
  const jobTemplate = { metadata: { labels: { app: 'report' } }, spec: { template: podTemplate() } };
  const created = await cronJobs().create({
    metadata: { name },
    spec: { schedule: '0 * * * *', jobTemplate, ...spec },
  });
  await cluster.settle();
  return created;
}

/** Returns the names of the Jobs, sorted by their scheduled times. */
async function jobNames(): Promise<string[]> {
  const { items } = await jobs().list();
  return items.map(({ metadata }) => metadata.name!).sort();
}

/** Returns the name of the Job for a scheduled time. */
const jobFor = (time: string, name = 'report'): string => `${name}-${Date.parse(time) / minute}`;

/** Sets the Job's conditions as the Job controller does. */
async function finish(name: string, type: 'Complete' | 'Failed' = 'Complete'): Promise<void> {
  const time = new Date(cluster.clock.now()).toISOString().replace(/\.\d+/, '');
  const interim = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditionOf = (type: string) => ({ type, status: 'True', lastProbeTime: time, lastTransitionTime: time });
  const job: Job = await jobs().get(name);
  await jobs().updateStatus({
    ...job,
    status: {
      startTime: job.metadata.creationTimestamp!,
      conditions: [conditionOf(interim), conditionOf(type)],
      ...(type === 'Complete' && { completionTime: time }),
    },
  });
  await cluster.settle();
}

const activeNames = ({ status }: CronJob): (string | undefined)[] => (status?.active ?? []).map(({ name }) => name);

describe('a CronJob', () => {
  it('creates a Job at each scheduled time', async () => {
    const { metadata } = await create();
    await cluster.advance(hour - 1);
    expect(await jobNames()).toEqual([]);
    // Each Job is started 100 ms after its scheduled time.
    await cluster.advance(101);
    const name = jobFor('2026-01-01T01:00:00Z');
    const job = await jobs().get(name);
    expect(job.metadata).toMatchObject({
      labels: { app: 'report' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T01:00:00Z' },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          name: 'report',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    const { uid, resourceVersion } = job.metadata;
    expect((await cronJobs().get('report')).status).toEqual({
      active: [{ kind: 'Job', apiVersion: 'batch/v1', namespace: 'default', name, uid, resourceVersion }],
      lastScheduleTime: '2026-01-01T01:00:00Z',
    });

    await cluster.advance(5 * minute);
    await finish(name);
    expect((await cronJobs().get('report')).status).toEqual({
      lastScheduleTime: '2026-01-01T01:00:00Z',
      lastSuccessfulTime: '2026-01-01T01:05:00Z',
    });
    expect(await cluster.events()).toEqual([
      `Normal SuccessfulCreate CronJob/report: Created job ${name}`,
      `Normal SawCompletedJob CronJob/report: Saw completed job: ${name}, condition: Complete`,
    ]);
  });

  it('causes no writes between scheduled times', async () => {
    await create();
    await cluster.advance(hour + 100);
    const before = cluster.spy.writes.length;
    await cluster.advance(59 * minute);
    await cluster.stopControllers();
    cluster.startControllers();
    await cluster.settle();
    expect(cluster.spy.writes.slice(before)).toEqual([]);
  });

  it('starts with the next time of a changed schedule', async () => {
    await create({ schedule: '0 0 1 1 *' });
    await cluster.advance(90 * minute);
    await cronJobs().patch('report', 'merge', { spec: { schedule: '0 * * * *' } });
    await cluster.settle();
    expect(await jobNames()).toEqual([]);
    await cluster.advance(30 * minute + 100);
    expect(await jobNames()).toEqual([jobFor('2026-01-01T02:00:00Z')]);
  });

  it('creates no Jobs while suspended, and then one for the last missed time', async () => {
    await create({ suspend: true });
    await cluster.advance(3 * hour + minute);
    expect(await jobNames()).toEqual([]);
    await cronJobs().patch('report', 'merge', { spec: { suspend: false } });
    await cluster.settle();
    expect(await jobNames()).toEqual([jobFor('2026-01-01T03:00:00Z')]);
  });

  it('counts from the last run with @every', async () => {
    await create({ schedule: '@every 90m' });
    await cluster.advance(3 * hour + minute, 30 * minute);
    await cluster.advance(minute);
    expect(await jobNames()).toEqual([jobFor('2026-01-01T01:30:00Z'), jobFor('2026-01-01T03:00:00Z')]);
  });
});

describe('a schedule in a time zone', () => {
  const run = async (from: string): Promise<(string | undefined)[]> => {
    await cluster.stop();
    cluster = await TestCluster.start({ controllers: [cronJobController], clock: new FakeClock(Date.parse(from)) });
    await create({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
    await cluster.advance(3 * day, hour);
    const { items } = await jobs().list();
    return items
      .map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'])
      .sort();
  };

  it('skips a time that does not exist in spring', async () => {
    expect(await run('2026-03-28T00:00:00Z')).toEqual(['2026-03-28T02:30:00+01:00', '2026-03-30T02:30:00+02:00']);
  });

  it('runs twice at a time that occurs twice in autumn', async () => {
    expect(await run('2026-10-24T03:00:00Z')).toEqual([
      '2026-10-25T02:30:00+01:00',
      '2026-10-25T02:30:00+02:00',
      '2026-10-26T02:30:00+01:00',
      '2026-10-27T02:30:00+01:00',
    ]);
  });
});

describe('the concurrency policy', () => {
  const first = jobFor('2026-01-01T01:00:00Z');
  const second = jobFor('2026-01-01T02:00:00Z');
  const runTwice = async (concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace'): Promise<void> => {
    await create({ concurrencyPolicy });
    await cluster.advance(hour + 100);
    await cluster.advance(hour);
  };

  it('Allow runs Jobs at the same time', async () => {
    await runTwice('Allow');
    expect(activeNames(await cronJobs().get('report'))).toEqual([first, second]);
  });

  it('Forbid waits until the previous Job has finished', async () => {
    await runTwice('Forbid');
    expect(await jobNames()).toEqual([first]);
    expect((await cluster.events()).at(-1)).toBe(
      'Normal JobAlreadyActive CronJob/report: Not starting job because prior execution is running and concurrency policy is Forbid',
    );
    await cluster.advance(minute);
    await finish(first, 'Failed');
    expect(activeNames(await cronJobs().get('report'))).toEqual([second]);
    expect((await cronJobs().get('report')).status).toMatchObject({ lastScheduleTime: '2026-01-01T02:00:00Z' });
    expect((await cluster.events()).slice(-2)).toEqual([
      `Normal SawCompletedJob CronJob/report: Saw completed job: ${first}, condition: Failed`,
      `Normal SuccessfulCreate CronJob/report: Created job ${second}`,
    ]);
  });

  it('Replace deletes the running Job before it creates the next one', async () => {
    await runTwice('Replace');
    expect(await jobNames()).toEqual([second]);
    expect(activeNames(await cronJobs().get('report'))).toEqual([second]);
    expect(await cluster.events()).toEqual([
      `Normal SuccessfulCreate CronJob/report: Created job ${first}`,
      `Normal SuccessfulDelete CronJob/report: Deleted job ${first}`,
      `Normal SuccessfulCreate CronJob/report: Created job ${second}`,
    ]);
  });
});

describe('history', () => {
  it('keeps the latest successful and failed Jobs up to their limits', async () => {
    await create({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 0 });
    const names: string[] = [];
    for (let i = 1; i <= 4; i++) {
      await cluster.advance(hour + (i === 1 ? 100 : 0));
      names.push(jobFor(`2026-01-01T0${i}:00:00Z`));
      await finish(names.at(-1)!, i === 2 ? 'Failed' : 'Complete');
    }
    expect(await jobNames()).toEqual([names[2], names[3]]);
    const deletions = (await cluster.events()).filter((event) => event.includes('Delete'));
    expect(deletions).toEqual([
      `Normal SuccessfulDelete CronJob/report: Deleted job ${names[1]}`,
      `Normal SuccessfulDelete CronJob/report: Deleted job ${names[0]}`,
    ]);
  });
});

describe('missed times', () => {
  const restartAfter = async (ms: number): Promise<void> => {
    await cluster.stopControllers();
    await cluster.advance(ms);
    cluster.startControllers();
    await cluster.settle();
  };

  it('lead to one Job, for the last of them', async () => {
    await create();
    await restartAfter(5 * hour + minute);
    expect(await jobNames()).toEqual([jobFor('2026-01-01T05:00:00Z')]);
    expect(await cluster.events()).toEqual([
      `Normal SuccessfulCreate CronJob/report: Created job ${jobFor('2026-01-01T05:00:00Z')}`,
    ]);
  });

  it('beyond a hundred are reported by an event', async () => {
    await create();
    await restartAfter(102 * hour);
    expect(await cluster.events()).toEqual([
      'Warning TooManyMissedTimes CronJob/report: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
      `Normal SuccessfulCreate CronJob/report: Created job ${jobFor('2026-01-05T06:00:00Z')}`,
    ]);
  });

  it('are skipped after the starting deadline', async () => {
    await create({ startingDeadlineSeconds: 200 });
    await restartAfter(5 * hour + 4 * minute);
    expect(await jobNames()).toEqual([]);
    await cluster.advance(hour);
    expect(await jobNames()).toEqual([jobFor('2026-01-01T06:00:00Z')]);
  });

  it('are started before the starting deadline', async () => {
    await create({ startingDeadlineSeconds: 200 });
    await restartAfter(5 * hour + 3 * minute);
    expect(await jobNames()).toEqual([jobFor('2026-01-01T05:00:00Z')]);
  });
});

describe('a schedule without any time', () => {
  it('never starts a Job', async () => {
    await create({ schedule: '59 23 31 2 *' });
    await cluster.advance(day);
    expect(await cluster.events()).toEqual([
      'Warning InvalidSchedule CronJob/report: invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second',
    ]);
  });
});

describe('Jobs', () => {
  it('that are deleted are no longer active', async () => {
    await create();
    await cluster.advance(hour + 100);
    const [name] = await jobNames();
    await jobs().delete(name!, { propagationPolicy: 'Background' });
    await cluster.settle();
    expect((await cronJobs().get('report')).status).toEqual({ lastScheduleTime: '2026-01-01T01:00:00Z' });
    expect((await cluster.events()).at(-1)).toBe(`Normal MissingJob CronJob/report: Active job went missing: ${name}`);
    expect(await jobNames()).toEqual([]);
  });

  it('that others created for the CronJob are reported by an event', async () => {
    const { metadata } = await create({ suspend: true });
    const reference = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: metadata.uid!, controller: true };
    await jobs().create({
      metadata: { name: 'manual', ownerReferences: [reference] },
      spec: { template: podTemplate() },
    });
    await cluster.settle();
    expect(await cluster.events()).toEqual([
      'Warning UnexpectedJob CronJob/report: Saw a job that the controller did not create or forgot: manual',
    ]);
    await finish('manual');
    expect((await cronJobs().get('report')).status?.lastSuccessfulTime).toBe('2026-01-01T00:00:00Z');
  });

  it('of others that already have the name are ignored, and the next time starts normally', async () => {
    const name = jobFor('2026-01-01T01:00:00Z');
    await jobs().create({ metadata: { name }, spec: { template: podTemplate() } });
    await create();
    await cluster.advance(hour + 100);
    expect((await cronJobs().get('report')).status).toEqual({});
    await cluster.advance(hour);
    expect(activeNames(await cronJobs().get('report'))).toEqual([jobFor('2026-01-01T02:00:00Z')]);
  });

  it('are created once, even if the status update fails at first', async () => {
    await create();
    let conflicts = 3;
    cluster.spy.plan = ({ method }) => {
      if (method !== 'PUT' || conflicts-- <= 0) return;
      throw newConflict(GroupResource.of('batch', 'cronjobs'), 'report', new Error('changed'));
    };
    await cluster.advance(hour + 100);
    await cluster.advance(1000, 100);
    const name = jobFor('2026-01-01T01:00:00Z');
    expect(await jobNames()).toEqual([name]);
    expect(activeNames(await cronJobs().get('report'))).toEqual([name]);
    expect((await cluster.events()).filter((event) => event.includes('SuccessfulCreate'))).toHaveLength(1);
  });

  it('are created again after a failure', async () => {
    await create();
    let failures = 2;
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'POST' && url.includes('/jobs') && failures-- > 0) throw newInternalError(new Error('broken'));
    };
    await cluster.advance(hour + 100);
    await cluster.advance(1000, 100);
    expect(await jobNames()).toEqual([jobFor('2026-01-01T01:00:00Z')]);
    expect((await cluster.events())[0]).toBe(
      'Warning FailedCreate CronJob/report: Error creating job: Internal error occurred: broken',
    );
  });

  it('are kept when the CronJob is deleted with orphan propagation', async () => {
    await create();
    await cluster.advance(hour + 100);
    await cronJobs().delete('report', { propagationPolicy: 'Orphan' });
    await cluster.settle();
    await cluster.advance(5 * hour);
    expect(await jobNames()).toHaveLength(1);
    expect((await cluster.events()).filter((event) => event.startsWith('Warning'))).toEqual([]);
  });
});
