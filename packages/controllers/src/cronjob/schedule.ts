import { type CronSchedule, parseCronSchedule } from '@coxswain/api';
import type { CronJob } from '@coxswain/api/batch/v1';
import { messageOf } from '@coxswain/apimachinery/errors';

/** A zone in the schedule itself works, though nobody promises it. */
export const hasZoneInSchedule = ({ spec }: CronJob): boolean => spec.schedule.includes('TZ');

/** Throws an Error that says what is wrong with the schedule. An unknown time zone is not: `timeZoneProblem` tells. */
export function scheduleOf(cronJob: CronJob): CronSchedule {
  const { schedule, timeZone } = cronJob.spec;
  const usesZone = timeZone !== undefined && !hasZoneInSchedule(cronJob) && timeZoneProblem(timeZone) === undefined;
  return parseCronSchedule(schedule, usesZone ? timeZone : undefined);
}

/** Why there is no such time zone; undefined when there is. */
export function timeZoneProblem(timeZone: string): string | undefined {
  try {
    parseCronSchedule('@hourly', timeZone);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Which times have come since the last run. */
export interface DueTimes {
  /** The last run, or the creation, or the moment before which it is too late. */
  readonly since: Date;
  /** The last of them. */
  readonly mostRecent?: Date;
  /** How many have been missed, roughly: one that has just come is not. */
  readonly missed: 'none' | 'few' | 'many';
}

/** That many are not to be caught up with: rather a clock is wrong. */
const manyMissed = 100;

/**
 * The times up to now. Those that `startingDeadlineSeconds` says are too late are left out if so wished. Counts by the
 * distance of the first two, not one by one: there may be millions. Throws an Error for a schedule that never comes.
 */
export function dueTimes(
  cronJob: CronJob,
  schedule: CronSchedule,
  now: number,
  options: { untilDeadline: boolean },
): DueTimes {
  const { metadata, spec, status } = cronJob;
  let sinceMs = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '') || 0;
  if (options.untilDeadline && spec.startingDeadlineSeconds !== undefined) {
    sinceMs = Math.max(sinceMs, now - Number(spec.startingDeadlineSeconds) * 1000);
  }
  const since = new Date(sinceMs);
  const first = schedule.next(since);
  const second = first && schedule.next(first);
  if (first && first.getTime() > now) return { since, missed: 'none' };
  if (first && second && second.getTime() > now) return { since, mostRecent: first, missed: 'none' };
  const distanceMs = first && second ? second.getTime() - first.getTime() : 0;
  if (!first || distanceMs < 1000) throw new Error('time difference between two schedules is less than 1 second');

  const passed = Math.floor((now - first.getTime()) / distanceMs) + 1;
  let mostRecent: Date | undefined;
  // Two distances back: times need not be evenly spread.
  let time = schedule.next(new Date(first.getTime() + (passed - 2) * distanceMs));
  for (; time && time.getTime() <= now; time = schedule.next(time)) mostRecent = time;
  return { since, ...(mostRecent && { mostRecent }), missed: passed > manyMissed ? 'many' : 'few' };
}

/** A little late rather than early, whatever clocks show. */
const clockSkewMs = 100;

/** Until the next time to look. */
export function nextRunInMs(cronJob: CronJob, schedule: CronSchedule, now: number): number {
  const next = schedule.next(lastBefore(cronJob, schedule, now));
  return next ? next.getTime() + clockSkewMs - now : 0;
}

function lastBefore(cronJob: CronJob, schedule: CronSchedule, now: number): Date {
  try {
    const { since, mostRecent, missed } = dueTimes(cronJob, schedule, now, { untilDeadline: false });
    return mostRecent ?? (missed === 'none' ? since : new Date(now));
  } catch {
    return new Date(now);
  }
}
