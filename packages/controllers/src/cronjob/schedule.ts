import { type CronSchedule, parseCronSchedule } from '@coxswain/api';
import type { CronJob } from '@coxswain/api/batch/v1';
import { messageOf } from '@coxswain/apimachinery/errors';

/** Whether the schedule contains a time zone (`TZ=` or `CRON_TZ=`). That works but is not officially supported. */
export const hasZoneInSchedule = ({ spec }: CronJob): boolean => spec.schedule.includes('TZ');

/** Parses the schedule. Throws an Error that describes what is invalid. An unknown time zone is ignored; see `timeZoneProblem`. */
export function scheduleOf(cronJob: CronJob): CronSchedule {
  const { schedule, timeZone } = cronJob.spec;
  const usesZone = timeZone !== undefined && !hasZoneInSchedule(cronJob) && timeZoneProblem(timeZone) === undefined;
  return parseCronSchedule(schedule, usesZone ? timeZone : undefined);
}

/** Returns why the time zone is invalid, or undefined when it is valid. */
export function timeZoneProblem(timeZone: string): string | undefined {
  try {
    parseCronSchedule('@hourly', timeZone);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The scheduled times between the last run and now. */
export interface DueTimes {
  /** The latest of: the last run or else the creation, and the time before which the starting deadline has passed. */
  readonly since: Date;
  /** The latest scheduled time up to now. */
  readonly mostRecent?: Date;
  /** Roughly how many times were missed. The most recent one is not counted as missed. */
  readonly missed: 'none' | 'few' | 'many';
}

/** More missed times than this suggest clock skew and are reported. */
const manyMissed = 100;

/**
 * Returns the scheduled times up to now. With `untilDeadline`, those past the starting deadline are left out. The number is
 * estimated from the interval between the first two times, because there may be millions. Throws an Error for a schedule without
 * any times.
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
  // Start two intervals before the estimate, because intervals may vary.
  let time = schedule.next(new Date(first.getTime() + (passed - 2) * distanceMs));
  for (; time && time.getTime() <= now; time = schedule.next(time)) mostRecent = time;
  return { since, ...(mostRecent && { mostRecent }), missed: passed > manyMissed ? 'many' : 'few' };
}

/** Jobs are started this much late, so that clock skew does not start them early. */
const clockSkewMs = 100;

/** Returns the milliseconds until the next reconcile. */
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
