import {
  type ErrorList,
  forbidden,
  internalError,
  invalid,
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

/** Keys and values of all annotations of an object together. */
export const totalAnnotationSizeLimitBytes = 256 * 1024;

/** A name check that reports field errors itself, for kinds whose rules are more than a format. */
export type ValidateNameFuncWithErrors = (path: Path, name: string) => ErrorList;

/** Keys follow the rule of label keys, except that case does not matter. */
export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (annotations === undefined) return errors;
  let size = 0;
  for (const key of Object.keys(annotations)) {
    for (const message of isQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, message));
    size += byteLength(key) + byteLength(annotations[key]!);
  }
  if (size > totalAnnotationSizeLimitBytes) errors.push(tooLong(path, totalAnnotationSizeLimitBytes));
  return errors;
}

/** The metadata of an object about to be created, its name already generated. */
export function validateObjectMeta(
  meta: ObjectMeta,
  requiresNamespace: boolean,
  validateName: ValidateNameFunc,
  path: Path,
): ErrorList {
  const { name = '', generateName = '' } = meta;
  const errors: ErrorList = [];
  const check = (field: string, value: string, prefix: boolean): void => {
    for (const message of validateName(value, prefix)) errors.push(invalid(path.child(field), value, message));
  };
  if (generateName !== '') check('generateName', generateName, true);
  if (name === '') errors.push(required(path.child('name'), 'name or generateName is required'));
  else check('name', name, false);
  return [...errors, ...validateObjectMetaBesidesName(meta, requiresNamespace, path)];
}

/** The same for kinds that judge the finished name only and leave generateName alone. */
export function validateObjectMetaWithOpts(
  meta: ObjectMeta,
  requiresNamespace: boolean,
  validateName: ValidateNameFuncWithErrors,
  path: Path,
): ErrorList {
  const { name = '', generateName = '' } = meta;
  const namePath = path.child('name');
  const errors: ErrorList = [];
  if (name === '') {
    if (generateName !== '') {
      const text = `generateName was specified (${quote(generateName)}), but no name was generated`;
      errors.push(internalError(namePath, new Error(text)));
    }
    errors.push(required(namePath, 'name or generateName is required'));
  } else {
    errors.push(...validateName(namePath, name));
  }
  return [...errors, ...validateObjectMetaBesidesName(meta, requiresNamespace, path)];
}

function validateObjectMetaBesidesName(meta: ObjectMeta, requiresNamespace: boolean, path: Path): ErrorList {
  return [
    ...validateNamespace(meta.namespace ?? '', requiresNamespace, path.child('namespace')),
    ...validateNonnegativeField(meta.generation, path.child('generation')),
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    ...validateFinalizers(meta.finalizers, path.child('finalizers')),
    ...validateManagedFields(meta.managedFields, path.child('managedFields')),
  ];
}

function validateNamespace(namespace: string, requiresNamespace: boolean, path: Path): ErrorList {
  if (!requiresNamespace) return namespace === '' ? [] : [forbidden(path, 'not allowed on this type')];
  if (namespace === '') return [required(path)];
  return validateNamespaceName(namespace, false).map((message) => invalid(path, namespace, message));
}

/** What an update may not do to metadata: it needs a resourceVersion, and identity and deletion are not the client's. */
export function validateObjectMetaUpdate(newMeta: ObjectMeta, oldMeta: ObjectMeta, path: Path): ErrorList {
  const errors: ErrorList = [];
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
  for (const field of ['name', 'namespace', 'uid'] as const) {
    errors.push(...validateImmutableField(newMeta[field] ?? '', oldMeta[field] ?? '', path.child(field)));
  }
  for (const field of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    errors.push(...validateImmutableField(newMeta[field], oldMeta[field], path.child(field)));
  }
  return [
    ...errors,
    ...validateLabels(newMeta.labels, path.child('labels')),
    ...validateAnnotations(newMeta.annotations, path.child('annotations')),
    ...validateOwnerReferences(newMeta.ownerReferences, path.child('ownerReferences')),
    ...validateManagedFields(newMeta.managedFields, path.child('managedFields')),
  ];
}
