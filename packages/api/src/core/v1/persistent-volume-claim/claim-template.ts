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

/** What a template cannot say of the objects that are made of it, in the order of Go's struct and by its names. */
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

/** Metadata of which only labels and annotations mean anything. */
export function validateTemplateObjectMeta(metadata: ObjectMeta, path: Path): ErrorList {
  return [
    ...validateAnnotations(metadata.annotations, path.child('annotations')),
    ...validateLabels(metadata.labels, path.child('labels')),
    ...fixedFields
      .filter(([field]) => metadata[field] !== undefined && metadata[field] !== null)
      .map(([, name]) => forbidden(path.child(name), 'cannot be set')),
  ];
}

/** A template of claims, as ephemeral volumes and StatefulSets have them. */
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
