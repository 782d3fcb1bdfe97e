import {
  type ErrorList,
  invalid,
  isDomainPrefixedPath,
  isLongerThan,
  notSupported,
  type Path,
  required,
  tooLong,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import { type PodValidationOptions, unlessSupported, validatePodTemplateSpec } from '../../core/v1/pod/index.ts';
import type { JobSpec } from '../../generated/batch/v1.ts';
import { internalForm } from './internal-form.ts';
import { validatePodFailurePolicy } from './pod-failure-policy.ts';
import { validateSuccessPolicy } from './success-policy.ts';

const maxManagedByLength = 63;
const maxParallelism = 100_000;
const maxFailedIndexes = 100_000;
/** Above this number of completions, parallelism and maxFailedIndexes are limited, so that the indexes fit into the status. */
const manyCompletions = 100_000;
const maxWithManyCompletions = 10_000;
const withManyCompletions = `must be less than or equal to ${maxWithManyCompletions} when completions are above ${manyCompletions} and used with backoff limit per index`;

const nonNegativeFields = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

/** Validates the spec of a Job or of a CronJob's template, except for the selector. */
export function validateJobSpec(spec: JobSpec, path: Path, options: PodValidationOptions): ErrorList {
  const { backoffLimitPerIndex, maxFailedIndexes: failedIndexes, managedBy, completionMode, successPolicy } = spec;
  const errors = nonNegativeFields.flatMap((field) => validateNonnegativeField(spec[field], path.child(field)));
  if (failedIndexes !== undefined && backoffLimitPerIndex === undefined)
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  if (managedBy !== undefined) {
    errors.push(...isDomainPrefixedPath(path.child('managedBy'), managedBy));
    if (isLongerThan(managedBy, maxManagedByLength)) errors.push(tooLong(path.child('managedBy'), maxManagedByLength));
  }
  if (completionMode !== undefined)
    errors.push(...unlessSupported(path.child('completionMode'), completionMode, ['NonIndexed', 'Indexed']));
  if (completionMode === 'Indexed') errors.push(...validateIndexed(spec, path));
  if ((completionMode ?? 'NonIndexed') === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
      if (spec[field] !== undefined)
        errors.push(invalid(path.child(field), spec[field], 'requires indexed completion mode'));
  }
  if (spec.podFailurePolicy) errors.push(...validatePodFailurePolicy(spec, path.child('podFailurePolicy')));
  if (successPolicy) {
    const at = path.child('successPolicy');
    if (completionMode === 'Indexed') errors.push(...validateSuccessPolicy(spec, at));
    else errors.push(invalid(at, internalForm('SuccessPolicy', successPolicy), 'requires indexed completion mode'));
  }
  errors.push(...validatePodReplacementPolicy(spec, path.child('podReplacementPolicy')));
  errors.push(...validatePodTemplateSpec(spec.template, path.child('template'), options));
  errors.push(...validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy')));
  return errors;
}

function validateIndexed(spec: JobSpec, path: Path): ErrorList {
  const { completions, parallelism = 0, maxFailedIndexes: failedIndexes, backoffLimitPerIndex } = spec;
  const errors: ErrorList = [];
  const parallelismPath = path.child('parallelism');
  const failedPath = path.child('maxFailedIndexes');
  if (completions === undefined) errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism > maxParallelism) {
    const detail = `must be less than or equal to ${maxParallelism} when completion mode is Indexed`;
    errors.push(invalid(parallelismPath, parallelism, detail));
  }
  if (completions !== undefined && failedIndexes !== undefined && failedIndexes > completions)
    errors.push(invalid(failedPath, failedIndexes, 'must be less than or equal to completions'));
  if (failedIndexes !== undefined && failedIndexes > maxFailedIndexes)
    errors.push(invalid(failedPath, failedIndexes, `must be less than or equal to ${maxFailedIndexes}`));
  if (completions === undefined || completions <= manyCompletions || backoffLimitPerIndex === undefined) return errors;
  if (failedIndexes === undefined)
    errors.push(required(failedPath, `must be specified when completions is above ${manyCompletions}`));
  if (parallelism > maxWithManyCompletions) errors.push(invalid(parallelismPath, parallelism, withManyCompletions));
  if (failedIndexes !== undefined && failedIndexes > maxWithManyCompletions)
    errors.push(invalid(failedPath, failedIndexes, withManyCompletions));
  return errors;
}

function validatePodReplacementPolicy({ podReplacementPolicy, podFailurePolicy }: JobSpec, path: Path): ErrorList {
  if (podReplacementPolicy === undefined) return [];
  return unlessSupported(path, podReplacementPolicy, podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed']);
}

function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, path: Path): ErrorList {
  const policy = template.spec?.restartPolicy ?? '';
  // An unset policy was defaulted to Always, so both are reported as missing.
  if (policy === 'Always' || policy === '') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(path, policy, ['OnFailure', 'Never'])];
  return podFailurePolicy && policy !== 'Never'
    ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}
