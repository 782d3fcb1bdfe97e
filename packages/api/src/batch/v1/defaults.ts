import type { WithSpec } from '../../apps/v1/with-spec.ts';
import { setPodTemplateSpecDefaults } from '../../core/v1/pod/index.ts';
import type { CronJob, Job, JobSpec } from '../../generated/batch/v1.ts';

const maxInt32 = 2 ** 31 - 1;

function setJobSpecDefaults({ podFailurePolicy, template }: JobSpec): void {
  for (const { onPodConditions } of podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
  setPodTemplateSpecDefaults(template);
}

/** Gives a Job without labels those of its pod template: the same object, not a copy, which `generateSelector` relies on. */
export function setJobLabels({ metadata, spec }: Pick<WithSpec<Job>, 'metadata' | 'spec'>): void {
  const { labels } = spec.template.metadata ?? {};
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}

export function setJobDefaults({ metadata, spec }: WithSpec<Job>): void {
  // With neither set, the Job runs one pod. With only one of them set, completions stays as given.
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  setJobLabels({ metadata, spec });
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
  setJobSpecDefaults(spec);
}

/** Leaves the Job template without the defaults of Jobs: each Job gets them when it is created. */
export function setCronJobDefaults({ spec }: CronJob): void {
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  if (spec.jobTemplate.spec) setJobSpecDefaults(spec.jobTemplate.spec);
}
