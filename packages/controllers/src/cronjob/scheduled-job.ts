import type { CronJob, Job } from '@coxswain/api/batch/v1';
import { GroupVersionKind, newControllerRef } from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';

const scheduledTimeAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The name is derived from the scheduled minute, so that at most one Job is created for each scheduled time. */
export const jobName = ({ metadata }: CronJob, time: Date): string =>
  `${metadata.name}-${Math.floor(time.getTime() / 60_000)}`;

/** Returns the Job for one scheduled time. */
export function scheduledJob(cronJob: CronJob, time: Date): Job {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  return {
    metadata: {
      name: jobName(cronJob, time),
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, [scheduledTimeAnnotation]: timeInZone(time, cronJob.spec.timeZone) },
      ownerReferences: [newControllerRef(cronJob, GroupVersionKind.of('batch', 'v1', 'CronJob'))],
    },
    ...(spec && { spec }),
  };
}

/** Formats the time with the zone's offset, such as `2026-07-01T12:00:00+02:00`. */
export function timeInZone(time: Date, timeZone = 'UTC'): string {
  const offsetMs = zoneOffsetMs(time, timeZone);
  const shown = timeFromDate(new Date(time.getTime() + offsetMs));
  if (offsetMs === 0) return shown;
  const minutes = Math.abs(offsetMs) / 60_000;
  const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const sign = offsetMs < 0 ? '-' : '+';
  return shown.replace('Z', `${sign}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`);
}

function zoneOffsetMs(time: Date, timeZone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of zoneFormat(timeZone).formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time.getTime() / 1000) * 1000;
}

function zoneFormat(timeZone: string): Intl.DateTimeFormat {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const options = { hourCycle: 'h23', second: 'numeric', ...numeric } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, ...options });
  } catch {
    // The time zone database has a zone `Factory` that JavaScript engines do not know. It means UTC.
    return new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options });
  }
}
