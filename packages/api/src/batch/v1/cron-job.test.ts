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

/** Such objects are refused on create, but older servers stored them. */
describe('a cron job with a time zone in its schedule', () => {
  const old = cronJob('TZ=UTC 0 * * * *');

  it('may keep it, with a warning', () => {
    expect(update(cronJob('CRON_TZ=UTC 5 * * * *'), old)).toEqual([]);
    expect(cronJobStrategy.warningsOnUpdate!(old, old, context)).toEqual([
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ]);
  });

  it('may not also set timeZone', () => {
    expect(update(cronJob('TZ=UTC 0 * * * *', 'Asia/Tokyo'), old)).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ]);
  });

  it('may keep an unknown timeZone', () => {
    const gone = cronJob('0 * * * *', 'Nowhere/X');
    expect(update(gone, gone)).toEqual([]);
  });
});
