import { type ErrorList, GroupVersion, invalid, isPathSegmentName, type Path, required } from '@coxswain/apimachinery';
import { invalidEach } from '../../core/v1/pod/index.ts';
import type { CrossVersionObjectReference } from '../../generated/autoscaling/v2.ts';

export interface ReferenceOptions {
  readonly allowEmptyAPIGroup: boolean;
  /** The old object has an invalid apiVersion, so it is allowed. */
  readonly allowInvalidAPIVersion: boolean;
}

/** Returns the error in the apiVersion; undefined when it is valid. */
export function apiVersionProblem(
  { apiVersion = '' }: CrossVersionObjectReference,
  { allowEmptyAPIGroup, allowInvalidAPIVersion }: ReferenceOptions,
): string | undefined {
  if (allowInvalidAPIVersion) return undefined;
  const parsed = GroupVersion.tryParse(apiVersion);
  if (!parsed) return `unexpected GroupVersion string: ${apiVersion}`;
  return parsed.group === '' && !allowEmptyAPIGroup ? 'apiVersion must specify API group' : undefined;
}

export function validateCrossVersionObjectReference(
  reference: CrossVersionObjectReference,
  path: Path,
  options: ReferenceOptions,
): ErrorList {
  const errors = (['kind', 'name'] as const).flatMap((field) => {
    const value = reference[field];
    return value ? invalidEach(path.child(field), value, isPathSegmentName(value)) : [required(path.child(field))];
  });
  const problem = apiVersionProblem(reference, options);
  if (problem !== undefined) errors.push(invalid(path.child('apiVersion'), reference.apiVersion ?? '', problem));
  return errors;
}
