import type { CronJob, Job } from '@coxswain/api/batch/v1';
import { finishedCondition } from '../job/jobs.ts';

/** Returns the finished Jobs beyond the CronJob's history limits, successful and failed ones separately, those that started first. */
export function expiredJobs({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const excess = (type: string, limit: number | undefined): Job[] => {
    if (limit === undefined) return [];
    const ended = jobs.filter((job) => finishedCondition(job)?.type === type);
    return ended.sort(byStartTime).slice(0, Math.max(0, ended.length - limit));
  };
  return [...excess('Complete', spec.successfulJobsHistoryLimit), ...excess('Failed', spec.failedJobsHistoryLimit)];
}

/** Sorts by start time. Jobs that never started are last. */
function byStartTime(a: Job, b: Job): number {
  const startTime = ({ status }: Job): number => Date.parse(status?.startTime ?? '') || Number.MAX_VALUE;
  const [nameA, nameB] = [a.metadata.name ?? '', b.metadata.name ?? ''];
  return startTime(a) - startTime(b) || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0);
}
