import {
  type ErrorList,
  forbidden,
  type ObjectMeta,
  type Path,
  validateAnnotations,
  validateLabels,
} from '@coxswain/apimachinery';
import type { PersistentVolumeClaimTemplate } from '../../../generated/core/v1.ts';
import { type PersistentVolumeClaimSpecOptions, validatePersistentVolumeClaimSpec } from './validation.ts';

/** Metadata fields that a template must not set, in the order of Go's struct, with the names in upstream's messages. */
const fixedFields: readonly (readonly [field: keyof ObjectMeta, name: string])[] = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
];

/** Validates the metadata of a template, which may have labels and annotations only. */
export function validateTemplateObjectMeta(metadata: ObjectMeta, path: Path): ErrorList {
  return [
    ...validateAnnotations(metadata.annotations, path.child('annotations')),
    ...validateLabels(metadata.labels, path.child('labels')),
    ...fixedFields
      .filter(([field]) => metadata[field] !== undefined && metadata[field] !== null)
      .map(([, name]) => forbidden(path.child(name), 'cannot be set')),
  ];
}

/** Validates a claim template of ephemeral volumes and StatefulSets. */
export function validatePersistentVolumeClaimTemplate(
  { metadata = {}, spec }: PersistentVolumeClaimTemplate,
  path: Path,
  options?: PersistentVolumeClaimSpecOptions,
): ErrorList {
  return [
    ...validateTemplateObjectMeta(metadata, path.child('metadata')),
    ...validatePersistentVolumeClaimSpec(spec, path.child('spec'), options),
  ];
}
