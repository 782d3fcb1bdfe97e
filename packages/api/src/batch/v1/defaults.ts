import type { WithSpec } from '../../apps/v1/with-spec.ts';
import { setPodTemplateSpecDefaults } from '../../core/v1/pod/index.ts';
import type { CronJob, Job, JobSpec } from '../../generated/batch/v1.ts';

const maxInt32 = 2 ** 31 - 1;

function setJobSpecDefaults({ podFailurePolicy, template }: JobSpec): void {
  for (const { onPodConditions } of podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
  setPodTemplateSpecDefaults(template);
}

/** A Job without labels has those of its pods: the same, not a copy, see `generateSelector`. */
export function setJobLabels({ metadata, spec }: Pick<WithSpec<Job>, 'metadata' | 'spec'>): void {
  const { labels } = spec.template.metadata ?? {};
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}

export function setJobDefaults({ metadata, spec }: WithSpec<Job>): void {
  // Neither is set: one pod. Only one of them: as many as it takes to complete, or any number in parallel.
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

/** The template of its jobs stays as it is: each job gets its defaults when it is made. */
export function setCronJobDefaults({ spec }: CronJob): void {
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  if (spec.jobTemplate.spec) setJobSpecDefaults(spec.jobTemplate.spec);
}
