import { Path, quote } from '@coxswain/apimachinery';
import { podNameWarnings, podTemplateHooks } from '../../apps/v1/pod-template-hooks.ts';
import { sameWorkloadSpec } from '../../apps/v1/same-spec.ts';
import type { WithSpec } from '../../apps/v1/with-spec.ts';
import { podTemplateWarnings } from '../../core/v1/pod/index.ts';
import type { FeatureGates } from '../../features/feature-gates.ts';
import type { Job as APIJob, JobSpec } from '../../generated/batch/v1.ts';
import { selectBy } from '../../strategy/field-labels.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { setJobLabels } from './defaults.ts';
import { generateSelector } from './job-selector.ts';
import { validateJobStatusUpdate } from './job-status.ts';
import { validateJob, validateJobUpdate } from './job-validation.ts';
import { jobTable } from './tables.ts';

type Job = WithSpec<APIJob>;

const hooks = podTemplateHooks<Job>();
const path = Path.of('spec');

/** Returns warnings about the spec at the path, of a Job or inside a CronJob. */
export function jobSpecWarnings(spec: JobSpec, at: Path, features: FeatureGates): string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const warnings = podTemplateWarnings(at.child('template'), template, features);
  if (completionMode !== 'Indexed' || completions <= 100_000 || parallelism <= 10_000) return warnings;
  return [
    `${at}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    ...warnings,
  ];
}

export const jobFieldLabels = selectBy(
  ['metadata.name', 'metadata.namespace', 'status.successful'],
  (label) => `field label ${quote(label)} not supported for Job`,
);

export const jobStrategy: Strategy<Job> = {
  generation: ({ spec }, old) => !sameWorkloadSpec(spec, old.spec),
  prepareForCreate(job, context) {
    if (!job.spec.manualSelector) generateSelector(job);
    hooks.prepareForCreate(job, context);
  },
  prepareForUpdate: hooks.prepareForUpdate,
  // The pod template may have got labels from the generated selector.
  canonicalize: setJobLabels,
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validatesMetadataUpdate: true,
  warningsOnCreate: (job, { features }) => [...podNameWarnings(job), ...jobSpecWarnings(job.spec, path, features)],
  warningsOnUpdate: (job, old, { features }) =>
    job.metadata.generation === old.metadata.generation ? [] : jobSpecWarnings(job.spec, path, features),
  subresources: { status: { owns: ['status'], validateUpdate: validateJobStatusUpdate } },
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  table: jobTable,
};
