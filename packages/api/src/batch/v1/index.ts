import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { cronJobStrategy } from './cron-job.ts';
import { setCronJobDefaults, setJobDefaults } from './defaults.ts';
import { jobFieldLabels, jobStrategy } from './job.ts';

export { type CronSchedule, parseCronSchedule } from './cron-schedule.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'batch',
  version: 'v1',
  defaults: { CronJob: setCronJobDefaults, Job: setJobDefaults },
  fieldLabels: { Job: jobFieldLabels },
  strategies: { CronJob: cronJobStrategy, Job: jobStrategy },
};
