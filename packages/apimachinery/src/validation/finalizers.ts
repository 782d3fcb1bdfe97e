import { type ErrorList, forbidden, invalid, invalidEach, type Path, quote } from '../field/index.ts';
import { FINALIZER_DELETE_DEPENDENTS, FINALIZER_ORPHAN_DEPENDENTS } from '../meta/object-meta.ts';
import { isQualifiedName } from './label-format.ts';

export function validateFinalizerName(name: string, path: Path, errors: ErrorList = []): ErrorList {
  return invalidEach(path, name, isQualifiedName(name), errors);
}

/** Validates the names of finalizers, and that dependents are not both orphaned and deleted. */
export function validateFinalizers(
  finalizers: readonly string[] | undefined,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  if (finalizers === undefined) return errors;
  for (const finalizer of finalizers) validateFinalizerName(finalizer, path, errors);
  if (finalizers.includes(FINALIZER_ORPHAN_DEPENDENTS) && finalizers.includes(FINALIZER_DELETE_DEPENDENTS)) {
    const detail = `finalizer ${FINALIZER_ORPHAN_DEPENDENTS} and ${FINALIZER_DELETE_DEPENDENTS} cannot be both set`;
    errors.push(invalid(path, finalizers, detail));
  }
  return errors;
}

/** Validates that an object being deleted only loses finalizers. */
export function validateNoNewFinalizers(
  newFinalizers: readonly string[] | undefined,
  oldFinalizers: readonly string[] | undefined,
  path: Path,
): ErrorList {
  const extra = [...new Set(newFinalizers)].filter((finalizer) => !oldFinalizers?.includes(finalizer)).sort(ascending);
  if (extra.length === 0) return [];
  const printed = `[]string{${extra.map(quote).join(', ')}}`;
  return [
    forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${printed}`),
  ];
}

const ascending = (a: string, b: string): number => (a < b ? -1 : 1);
