import type { Case, CaseSuite, Change } from '../case.ts';

const template = { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'work', image: 'busybox' }] } };
const cronJob = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly' },
  spec: { schedule: '30 4 * * *', jobTemplate: { spec: { template } } },
};

const create = (change?: Change): Case => ({ create: 'cronJob', ...(change && { change }) });
const update = (change: Change): Case => ({ update: 'cronJob', change });
const spec = (fields: object): Case =>
  create((c) => {
    Object.assign(c.spec, fields);
  });

const schedules = [
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 7',
  '5-3 * * * *',
  '*/0 * * * *',
  '1-2-3 * * * *',
  '1/2/3 * * * *',
  'x * * * *',
  '* * * foo *',
  '99999999999999999999 * * * *',
  '*/-1 * * * *',
  '@never',
  '@every x',
  '@every 10',
  'TZ=UTC 0 * * * *',
  'CRON_TZ=Nowhere/X 0 * * * *',
  'TZ=0',
  'CRON_TZ=../x 0 * * * *',
];
const goodSchedules = ['@hourly', '@every 90m', '*/15 0-6,12 ? jan-MAR mon,WED', '0 0 31 2 *'];
const zones = [
  '',
  '.',
  '../x',
  '-x/y',
  'Local',
  'local',
  'Nowhere/X',
  'europe/berlin',
  'A'.repeat(15),
  'a b',
  'Etc//UTC',
];
const goodZones = ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'US/Eastern', 'Etc/GMT+5', 'GMT0'];

export const suite: CaseSuite = {
  bases: {
    cronJob: { object: cronJob },
    zoned: {
      object: {
        ...cronJob,
        metadata: { name: 'zoned' },
        spec: { ...cronJob.spec, timeZone: 'Asia/Tokyo', suspend: true },
      },
      status: {
        active: [
          { kind: 'Job', name: 'a' },
          { kind: 'Job', name: 'b' },
        ],
        lastScheduleTime: '2026-01-01T00:00:00Z',
      },
    },
  },
  cases: {
    'a cron job gets its defaults': create(),
    'what is set stays': spec({
      concurrencyPolicy: 'Forbid',
      suspend: true,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 0,
      startingDeadlineSeconds: 0,
    }),
    'conditions in its jobs get defaults': create((c) => {
      c.spec.jobTemplate.spec = {
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'X' }] }] },
        template: { spec: { ...template.spec, restartPolicy: 'Never' } },
      };
    }),
    'numbers are not negative': spec({
      startingDeadlineSeconds: -1,
      successfulJobsHistoryLimit: -2,
      failedJobsHistoryLimit: -3,
      concurrencyPolicy: 'Any',
    }),
    'a schedule is required': create((c) => {
      delete c.spec.schedule;
    }),
    'a cron job cannot be empty': create((c) => {
      delete c.spec;
    }),
    ...Object.fromEntries(schedules.map((schedule) => [`the schedule '${schedule}' is refused`, spec({ schedule })])),
    ...Object.fromEntries(goodSchedules.map((schedule) => [`the schedule '${schedule}' is kept`, spec({ schedule })])),
    ...Object.fromEntries(zones.map((timeZone) => [`the time zone '${timeZone}' is refused`, spec({ timeZone })])),
    ...Object.fromEntries(goodZones.map((timeZone) => [`the time zone '${timeZone}' is kept`, spec({ timeZone })])),
    'names leave room for the names of jobs': create((c) => {
      c.metadata.name = 'a'.repeat(53);
      c.spec.failedJobsHistoryLimit = -1;
    }),
    'names that are no labels are warned of': create((c) => {
      c.metadata.name = 'a.b';
      c.spec.jobTemplate.spec = {
        completionMode: 'Indexed',
        completions: 100_001,
        parallelism: 10_001,
        template: { spec: { ...template.spec, nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
      };
    }),
    'jobs select their pods themselves': create((c) => {
      c.spec.jobTemplate.spec.manualSelector = true;
      c.spec.jobTemplate.spec.selector = { matchLabels: { b: 'c', a: 'b' } };
    }),
    'jobs are validated': create((c) => {
      c.spec.jobTemplate.spec = { parallelism: -1, template: { spec: { containers: [] } } };
    }),
    'status cannot be created': create((c) => {
      c.status = { lastScheduleTime: '2026-01-01T00:00:00Z' };
      c.metadata.generation = 9;
    }),
    'a change of the spec raises the generation and warns': update((c) => {
      c.spec.suspend = true;
      c.spec.jobTemplate.spec.template.spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
      c.status = { lastScheduleTime: '2026-01-01T00:00:00Z' };
    }),
    'a change of labels does not': update((c) => {
      c.metadata.labels = { a: 'b' };
    }),
    'a zone may not come into the schedule': update((c) => {
      c.spec.schedule = 'CRON_TZ=UTC 0 0 * * *';
    }),
    'updates are validated': update((c) => {
      c.spec.schedule = '';
      c.spec.timeZone = 'x y';
      c.spec.concurrencyPolicy = 'Any';
      c.metadata.labels = { 'a b': 'c' };
    }),
    'status is taken over, spec is not': {
      update: 'zoned',
      subresource: 'status',
      change: (c) => {
        c.spec.suspend = false;
        c.status = { lastSuccessfulTime: '2026-01-02T00:00:00Z' };
        c.metadata.annotations = { a: 'b' };
      },
    },
    'metadata is judged with the status': {
      update: 'zoned',
      subresource: 'status',
      change: (c) => {
        c.metadata.labels = { 'a b': 'c' };
      },
    },
    'a cron job is printed': { table: 'cronJob' },
    'zones and jobs are printed': { table: 'zoned' },
  },
};
