import {
  type ErrorList,
  forbidden,
  internalError,
  invalid,
  invalidEach,
  type Path,
  quote,
  required,
  tooLong,
} from '../field/index.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';
import { byteLength } from './byte-length.ts';
import { validateFinalizers, validateNoNewFinalizers } from './finalizers.ts';
import { validateImmutableField, validateNonnegativeField } from './immutable.ts';
import { isQualifiedName } from './label-format.ts';
import { validateLabels } from './labels.ts';
import { validateManagedFields } from './managed-fields.ts';
import { type ValidateNameFunc, validateNamespaceName } from './name.ts';
import { validateOwnerReferences } from './owner-references.ts';

/** The maximum size of the keys and values of all annotations of an object together. */
export const totalAnnotationSizeLimitBytes = 256 * 1024;

/** A check of a name that returns field errors, for kinds whose rules are more than a format. */
export type ValidateNameFuncWithErrors = (path: Path, name: string) => ErrorList;

/** Validates annotations. Keys follow the rule of label keys, except that case does not matter. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  if (annotations === undefined) return errors;
  let units = 0;
  for (const key of Object.keys(annotations)) {
    invalidEach(path, key, isQualifiedName(key.toLowerCase()), errors);
    units += key.length + annotations[key]!.length;
  }
  // A code unit of a string takes three bytes at most.
  if (units * 3 > totalAnnotationSizeLimitBytes && sizeOf(annotations) > totalAnnotationSizeLimitBytes)
    errors.push(tooLong(path, totalAnnotationSizeLimitBytes));
  return errors;
}

const sizeOf = (annotations: Readonly<Record<string, string>>): number =>
  Object.entries(annotations).reduce((size, [key, value]) => size + byteLength(key) + byteLength(value), 0);

/** Validates the metadata of an object to be created, whose name has already been generated. */
export function validateObjectMeta(
  meta: ObjectMeta,
  requiresNamespace: boolean,
  validateName: ValidateNameFunc,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  const { name, generateName } = meta;
  if (generateName) invalidEach(path.child('generateName'), generateName, validateName(generateName, true), errors);
  if (name) invalidEach(path.child('name'), name, validateName(name, false), errors);
  else errors.push(required(path.child('name'), 'name or generateName is required'));
  return validateObjectMetaBesidesName(meta, requiresNamespace, path, errors);
}

/** Like `validateObjectMeta`, for kinds that check only the final name and ignore generateName. */
export function validateObjectMetaWithOpts(
  meta: ObjectMeta,
  requiresNamespace: boolean,
  validateName: ValidateNameFuncWithErrors,
  path: Path,
): ErrorList {
  const { name, generateName } = meta;
  const namePath = path.child('name');
  const errors: ErrorList = [];
  if (name) {
    errors.push(...validateName(namePath, name));
  } else {
    if (generateName) {
      const text = `generateName was specified (${quote(generateName)}), but no name was generated`;
      errors.push(internalError(namePath, new Error(text)));
    }
    errors.push(required(namePath, 'name or generateName is required'));
  }
  return validateObjectMetaBesidesName(meta, requiresNamespace, path, errors);
}

function validateObjectMetaBesidesName(
  meta: ObjectMeta,
  requiresNamespace: boolean,
  path: Path,
  errors: ErrorList,
): ErrorList {
  validateNamespace(meta.namespace ?? '', requiresNamespace, path, errors);
  validateNonnegativeField(meta.generation, path.child('generation'), errors);
  validateLabels(meta.labels, path.child('labels'), errors);
  validateAnnotations(meta.annotations, path.child('annotations'), errors);
  validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences'), errors);
  validateFinalizers(meta.finalizers, path.child('finalizers'), errors);
  return validateManagedFields(meta.managedFields, path.child('managedFields'), errors);
}

function validateNamespace(namespace: string, requiresNamespace: boolean, path: Path, errors: ErrorList): void {
  if (requiresNamespace) {
    if (namespace === '') errors.push(required(path.child('namespace')));
    else invalidEach(path.child('namespace'), namespace, validateNamespaceName(namespace, false), errors);
  } else if (namespace !== '') {
    errors.push(forbidden(path.child('namespace'), 'not allowed on this type'));
  }
}

const identity = ['name', 'namespace', 'uid'] as const;
const lifetime = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Validates the metadata of an update: it needs a resourceVersion, and clients cannot change identity and deletion. */
export function validateObjectMetaUpdate(
  newMeta: ObjectMeta,
  oldMeta: ObjectMeta,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  if (oldMeta.deletionTimestamp) {
    errors.push(...validateNoNewFinalizers(newMeta.finalizers, oldMeta.finalizers, path.child('finalizers')));
  }
  if (!newMeta.resourceVersion) {
    errors.push(invalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  }
  const generation = newMeta.generation ?? 0;
  if (generation < (oldMeta.generation ?? 0)) {
    errors.push(invalid(path.child('generation'), generation, 'must not be decremented'));
  }
  for (const field of identity) {
    validateImmutableField(newMeta[field] ?? '', oldMeta[field] ?? '', path.child(field), errors);
  }
  for (const field of lifetime) {
    validateImmutableField(newMeta[field], oldMeta[field], path.child(field), errors);
  }
  validateLabels(newMeta.labels, path.child('labels'), errors);
  validateAnnotations(newMeta.annotations, path.child('annotations'), errors);
  validateOwnerReferences(newMeta.ownerReferences, path.child('ownerReferences'), errors);
  return validateManagedFields(newMeta.managedFields, path.child('managedFields'), errors);
}
