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
  /** How the specs differ in what may not change; undefined when they do not. */
  readonly text?: string;
  readonly annotationErrors: ErrorList;
}

/** Compares two specs, apart from what may change: a volume's name that was not set, a class that was not, a bound claim's size. */
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

/** Quantities are compared by amount, however they are written. */
function isSame(
  { resources: a, ...after }: PersistentVolumeClaimSpec,
  { resources: b, ...before }: PersistentVolumeClaimSpec,
): boolean {
  return semanticEqual(after, before) && sameResources(a?.limits, b?.limits) && sameResources(a?.requests, b?.requests);
}

const annotationOf = ({ metadata }: PersistentVolumeClaim): string | undefined =>
  ownEntry(metadata.annotations, storageClassAnnotation);

/** The class that was an annotation becomes the field. */
function movesClassToField(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const known = annotationOf(old);
  return (
    known !== undefined &&
    old.spec?.storageClassName === undefined &&
    claim.spec?.storageClassName === known &&
    (annotationOf(claim) ?? known) === known
  );
}

/** A claim that had no class gets one, as when the cluster has a default class at last. */
function setsClass(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const name = claim.spec?.storageClassName;
  return name !== undefined && old.spec?.storageClassName === undefined && (annotationOf(old) ?? name) === name;
}

/** The annotation by which a class was told before is immutable too. */
function validateStorageClassAnnotation(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): ErrorList {
  const after = annotationOf(claim) ?? '';
  if (after === (annotationOf(old) ?? '')) return [];
  return [invalid(Path.of('metadata', 'annotations', storageClassAnnotation), after, fieldImmutableErrorMessage)];
}
