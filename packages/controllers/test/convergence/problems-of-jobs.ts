import type { CronJob, Job } from '@coxswain/api/batch/v1';
import { isPodActive } from '@coxswain/component-helpers';
import { differences, ownedBy, type Snapshot } from './snapshot.ts';

/** Checks that Jobs are complete, have released their pods, and are not more than the history limit. */
export function problemsOfJobs(snapshot: Snapshot): string[] {
  return [
    ...snapshot.jobs.flatMap((job) => problemsOfJob(job, snapshot)),
    ...snapshot.cronJobs.flatMap((cronJob) => problemsOfCronJob(cronJob, snapshot)),
    ...snapshot.pods
      .filter(({ metadata }) => metadata.finalizers?.length)
      .map(({ metadata }) => `Pod ${metadata.namespace}/${metadata.name} is kept by finalizers ${metadata.finalizers}`),
  ];
}

function problemsOfJob(job: Job, { pods }: Snapshot): string[] {
  const name = `Job ${job.metadata.namespace}/${job.metadata.name}`;
  const { completions = 0, completionMode } = job.spec!;
  const { conditions = [], uncountedTerminatedPods = {}, ...status } = job.status ?? {};
  const owned = ownedBy(pods, job);
  const ended = conditions.filter(({ status, type }) => status === 'True' && type !== 'SuccessCriteriaMet');
  const all = completions > 1 ? `0-${completions - 1}` : completions === 1 ? '0' : undefined;
  const indexes = all?.replace(/^0-1$/, '0,1');
  return [
    ...differences(
      name,
      {
        ...status,
        conditions: ended.map(({ type, reason }) => `${type} ${reason}`),
        uncounted: Object.values(uncountedTerminatedPods).flat(),
        running: owned.filter(isPodActive).length,
      } as Record<string, unknown>,
      {
        succeeded: completions,
        active: 0,
        ready: 0,
        terminating: 0,
        conditions: ['Complete CompletionsReached'],
        uncounted: [],
        running: 0,
        completedIndexes: completionMode === 'Indexed' ? indexes : 0,
      },
    ),
    ...(job.spec?.ttlSecondsAfterFinished ? [`${name} should be deleted`] : []),
  ];
}

function problemsOfCronJob(cronJob: CronJob, { jobs }: Snapshot): string[] {
  const name = `CronJob ${cronJob.metadata.namespace}/${cronJob.metadata.name}`;
  const owned = ownedBy(jobs, cronJob);
  const kept = cronJob.spec!.successfulJobsHistoryLimit!;
  return [
    ...differences(name, { active: cronJob.status?.active }, { active: 0 }),
    ...(owned.length > kept ? [`${name} keeps ${owned.length} jobs`] : []),
  ];
}
