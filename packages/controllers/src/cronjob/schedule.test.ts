import type { CronJob, CronJobSpec, CronJobStatus } from '@coxswain/api/batch/v1';
import { describe, expect, it } from 'vitest';
import { dueTimes, nextRunInMs, scheduleOf, timeZoneProblem } from './schedule.ts';
import { scheduledJob, timeInZone } from './scheduled-job.ts';

const cronJobOf = (spec: Partial<CronJobSpec>, status: CronJobStatus = {}): CronJob => ({
  metadata: { name: 'report', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { schedule: '0 * * * *', jobTemplate: {}, ...spec },
  status,
});
const time = (text: string): number => Date.parse(`2026-01-${text}Z`);

// The expected results are those of the same functions in v1.36.
describe('dueTimes', () => {
  it.each<{ name: string; spec?: Partial<CronJobSpec>; last?: string; now: string; due?: string; missed: string }>([
    { name: 'none yet', now: '01T00:59:59', missed: 'none' },
    { name: 'just now', now: '01T01:00:00', due: '01T01:00:00', missed: 'none' },
    { name: 'one, some time ago', now: '01T01:59:59', due: '01T01:00:00', missed: 'none' },
    { name: 'the last of several', now: '01T05:30:00', due: '01T05:00:00', missed: 'few' },
    { name: 'a hundred missed', now: '05T04:00:00', due: '05T04:00:00', missed: 'few' },
    { name: 'more than a hundred missed', now: '05T05:00:00', due: '05T05:00:00', missed: 'many' },
    { name: 'since the last run', last: '01T05:00:00', now: '01T05:30:00', missed: 'none' },
    {
      name: 'none within the deadline',
      spec: { startingDeadlineSeconds: 600 },
      now: '05T05:11:00',
      missed: 'none',
    },
    {
      name: 'those within the deadline',
      spec: { startingDeadlineSeconds: 7200 },
      now: '05T05:10:00',
      due: '05T05:00:00',
      missed: 'few',
    },
    {
      name: 'with @every',
      spec: { schedule: '@every 1h' },
      last: '01T00:10:00',
      now: '01T05:30:00',
      due: '01T05:10:00',
      missed: 'few',
    },
    {
      name: 'unevenly',
      spec: { schedule: '30 6-16/4 * * 1-5' },
      last: '02T14:30:00',
      now: '05T11:00:00',
      due: '05T10:30:00',
      missed: 'few',
    },
    { name: 'with uneven intervals', spec: { schedule: '0-5 0 * * *' }, now: '03T12:00:00', missed: 'many' },
  ])('$name', ({ spec = {}, last, now, due, missed }) => {
    const cronJob = cronJobOf(spec, last === undefined ? {} : { lastScheduleTime: `2026-01-${last}Z` });
    const found = dueTimes(cronJob, scheduleOf(cronJob), time(now), { untilDeadline: true });
    expect([found.mostRecent?.getTime(), found.missed]).toEqual([due === undefined ? undefined : time(due), missed]);
  });

  it('throws for a schedule that has no times', () => {
    const cronJob = cronJobOf({ schedule: '59 23 31 2 *' });
    expect(() => dueTimes(cronJob, scheduleOf(cronJob), time('01T01:00:00'), { untilDeadline: true })).toThrow(
      'time difference between two schedules is less than 1 second',
    );
    expect(nextRunInMs(cronJob, scheduleOf(cronJob), time('01T01:00:00'))).toBe(0);
  });
});

describe('nextRunInMs', () => {
  it.each<{ name: string; schedule?: string; last?: string; now: string; next: string }>([
    { name: 'the first', now: '01T00:10:00', next: '01T01:00:00' },
    { name: 'after a time that was missed', now: '01T01:10:00', next: '01T02:00:00' },
    { name: 'after the last run', last: '01T01:00:00', now: '01T01:00:00', next: '01T02:00:00' },
    { name: 'after many missed', now: '09T01:10:00', next: '09T02:00:00' },
    { name: 'of a schedule with uneven intervals', schedule: '0-5 0 * * *', now: '03T12:00:00', next: '04T00:00:00' },
  ])('$name', ({ schedule, last, now, next }) => {
    const status = last === undefined ? {} : { lastScheduleTime: `2026-01-${last}Z` };
    const cronJob = cronJobOf(schedule === undefined ? {} : { schedule }, status);
    expect(nextRunInMs(cronJob, scheduleOf(cronJob), time(now))).toBe(time(next) - time(now) + 100);
  });
});

it.each<[schedule: string, timeZone?: string]>([
  ['30 2 * * *', 'Europe/Berlin'],
  ['*/20 8-18 * * mon-fri', 'America/New_York'],
  ['0 0 1,15 * *'],
  ['@every 36h'],
  ['@monthly', 'Australia/Lord_Howe'],
])('%s starts each time in a year exactly once', (text, timeZone) => {
  const spec = { schedule: text, ...(timeZone !== undefined && { timeZone }) };
  const schedule = scheduleOf(cronJobOf(spec));
  const begin = Date.parse('2026-01-01T00:00:00Z');
  const end = Date.parse('2027-01-01T00:00:00Z');
  const times: Date[] = [];
  for (let next = schedule.next(new Date(begin)); next && next.getTime() < end; next = schedule.next(next))
    times.push(next);

  const started: (Date | undefined)[] = [];
  let cronJob = cronJobOf(spec);
  for (let now = begin + nextRunInMs(cronJob, schedule, begin); now < end; now += nextRunInMs(cronJob, schedule, now)) {
    const { mostRecent, missed } = dueTimes(cronJob, schedule, now, { untilDeadline: true });
    expect(missed).toBe('none');
    started.push(mostRecent);
    cronJob = cronJobOf(spec, { lastScheduleTime: mostRecent!.toISOString() });
  }
  expect(started).toEqual(times);
});

describe('the time zone', () => {
  it.each<[name: string, spec: Partial<CronJobSpec>, next: string]>([
    ['the timeZone field', { schedule: '0 6 * * *', timeZone: 'Asia/Tokyo' }, '01T21:00:00'],
    [
      'the schedule, which takes precedence over the field',
      { schedule: 'TZ=Europe/Berlin 0 6 * * *', timeZone: 'Asia/Tokyo' },
      '01T05:00:00',
    ],
    ['neither when the field is unknown', { schedule: '0 6 * * *', timeZone: 'Mars/Olympus' }, '01T06:00:00'],
  ])('is that of %s', (_, spec, next) => {
    expect(
      scheduleOf(cronJobOf(spec))
        .next(new Date(time('01T00:00:00')))
        ?.getTime(),
    ).toBe(time(next));
  });

  it('is checked by timeZoneProblem', () => {
    expect([timeZoneProblem('Europe/Berlin'), timeZoneProblem('Mars/Olympus')]).toEqual([
      undefined,
      'unknown time zone Mars/Olympus',
    ]);
  });

  it.each<[zone: string | undefined, text: string]>([
    [undefined, '2026-07-01T10:00:00Z'],
    ['Europe/Berlin', '2026-07-01T12:00:00+02:00'],
    ['America/New_York', '2026-07-01T06:00:00-04:00'],
    ['Asia/Kathmandu', '2026-07-01T15:45:00+05:45'],
    ['Africa/Accra', '2026-07-01T10:00:00Z'],
    ['Factory', '2026-07-01T10:00:00Z'],
  ])('timeInZone in %s', (zone, text) => {
    expect(timeInZone(new Date('2026-07-01T10:00:00Z'), zone)).toBe(text);
  });
});

it('scheduledJob names the Job by the minute and copies the template', () => {
  const template = {
    metadata: { labels: { app: 'report' }, annotations: { note: 'x' }, finalizers: ['example.com/no'] },
  };
  const cronJob = cronJobOf({ jobTemplate: { ...template, spec: { template: {}, parallelism: 2 } } });
  expect(scheduledJob(cronJob, new Date('2026-01-01T01:00:00Z'))).toEqual({
    metadata: {
      name: 'report-29453820',
      labels: { app: 'report' },
      annotations: { note: 'x', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T01:00:00Z' },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          name: 'report',
          uid: 'u',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { template: {}, parallelism: 2 },
  });
});
