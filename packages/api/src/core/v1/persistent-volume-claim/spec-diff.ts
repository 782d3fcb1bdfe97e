import {
  type ErrorList,
  fieldImmutableErrorMessage,
  invalid,
  ownEntry,
  Path,
  semanticEqual,
} from '@coxswain/apimachinery';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../generated/core/v1.ts';
import { internalDiff } from '../internal-form/internal-diff.ts';
import { sameResources } from '../resources/resource-list.ts';
import { storageClassAnnotation } from '../storage-class-annotation.ts';

export interface ClaimSpecDiff {
  /** The difference of the immutable fields; undefined when they are equal. */
  readonly text?: string;
  readonly annotationErrors: ErrorList;
}

/**
 * Compares the specs of two claims except for allowed changes: setting an unset volumeName or storage class, and the
 * size of a bound claim.
 */
export function claimSpecDiff(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): ClaimSpecDiff {
  const after: PersistentVolumeClaimSpec = { ...claim.spec };
  const before: PersistentVolumeClaimSpec = { ...old.spec };
  if (!before.volumeName) before.volumeName = after.volumeName;

  const isUpgrade = movesClassToField(claim, old);
  if (isUpgrade) after.storageClassName = undefined;
  else if (setsClass(claim, old)) after.storageClassName = before.storageClassName;
  if (claim.status?.phase === 'Bound') {
    if (after.resources?.requests) {
      const storage = ownEntry(before.resources?.requests, 'storage') ?? '0';
      after.resources = { ...after.resources, requests: { ...after.resources.requests, storage } };
    }
    after.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  const annotationErrors = isUpgrade ? [] : validateStorageClassAnnotation(claim, old);
  if (isSame(after, before)) return { annotationErrors };
  return { annotationErrors, text: internalDiff('PersistentVolumeClaimSpec', before, after) };
}

/** Compares two specs; quantities by value. */
function isSame(
  { resources: a, ...after }: PersistentVolumeClaimSpec,
  { resources: b, ...before }: PersistentVolumeClaimSpec,
): boolean {
  return semanticEqual(after, before) && sameResources(a?.limits, b?.limits) && sameResources(a?.requests, b?.requests);
}

const annotationOf = ({ metadata }: PersistentVolumeClaim): string | undefined =>
  ownEntry(metadata.annotations, storageClassAnnotation);

/** Reports whether the update moves the storage class from the annotation to the field. */
function movesClassToField(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const known = annotationOf(old);
  return (
    known !== undefined &&
    old.spec?.storageClassName === undefined &&
    claim.spec?.storageClassName === known &&
    (annotationOf(claim) ?? known) === known
  );
}

/** Reports whether the update sets the storage class of a claim without one, as when the cluster gets a default class. */
function setsClass(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const name = claim.spec?.storageClassName;
  return name !== undefined && old.spec?.storageClassName === undefined && (annotationOf(old) ?? name) === name;
}

/** Validates that the legacy storage class annotation does not change. */
function validateStorageClassAnnotation(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): ErrorList {
  const after = annotationOf(claim) ?? '';
  if (after === (annotationOf(old) ?? '')) return [];
  return [invalid(Path.of('metadata', 'annotations', storageClassAnnotation), after, fieldImmutableErrorMessage)];
}
