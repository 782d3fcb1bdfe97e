import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { CronJob } from '../../generated/batch/v1.ts';
import { cronJobStrategy } from './cron-job.ts';
import { setCronJobDefaults } from './defaults.ts';

const context = { features: FeatureGates.defaults, now: () => new Date(0), namespace: 'n' };

function cronJob(schedule: string, timeZone?: string): CronJob {
  const object: CronJob = {
    metadata: { name: 'c', generation: 1 },
    spec: {
      schedule,
      ...(timeZone && { timeZone }),
      jobTemplate: {
        spec: {
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', resources: {} }] },
          },
        },
      },
    },
  };
  setCronJobDefaults(object);
  return object;
}

const update = (now: CronJob, before: CronJob) => cronJobStrategy.validateUpdate!(now, before, context).map(String);

/** Servers of today do not let such objects in, but may have stored them before. */
describe('a cron job with a time zone in its schedule', () => {
  const old = cronJob('TZ=UTC 0 * * * *');

  it('may keep it, and is warned', () => {
    expect(update(cronJob('CRON_TZ=UTC 5 * * * *'), old)).toEqual([]);
    expect(cronJobStrategy.warningsOnUpdate!(old, old, context)).toEqual([
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ]);
  });

  it('may not have another one besides', () => {
    expect(update(cronJob('TZ=UTC 0 * * * *', 'Asia/Tokyo'), old)).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ]);
  });

  it('may keep a zone that is gone from the database', () => {
    const gone = cronJob('0 * * * *', 'Nowhere/X');
    expect(update(gone, gone)).toEqual([]);
  });
});
