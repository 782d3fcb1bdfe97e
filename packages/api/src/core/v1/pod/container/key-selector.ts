import {
  checkField,
  checkRequiredField,
  type ErrorList,
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
  isRelaxedEnvVarName,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { ConfigMapKeySelector, FileKeySelector, SecretKeySelector } from '../../../../generated/core/v1.ts';
import { validatePathNoBacksteps } from '../../volume/path-rules.ts';

/** Validates a reference to a key of a Secret. */
export function validateSecretKeySelector(
  { name, key }: SecretKeySelector,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  checkField(path, 'name', name ?? '', isDns1123Subdomain, errors);
  checkRequiredField(path, 'key', key, isConfigMapKey, errors);
  return errors;
}

/** Validates a reference to a key of a ConfigMap; the rules are the same as for a Secret. */
export const validateConfigMapKeySelector: (
  selector: ConfigMapKeySelector,
  path: Path,
  errors?: ErrorList,
) => ErrorList = validateSecretKeySelector;

/** Validates a reference to a variable in a file of one of the pod's volumes. */
export function validateFileKeySelector(
  { key, volumeName, path: file }: FileKeySelector,
  path: Path,
  errors: ErrorList,
): void {
  checkRequiredField(path, 'key', key, isRelaxedEnvVarName, errors);
  checkRequiredField(path, 'volumeName', volumeName, isDns1123Label, errors);
  if (file) validatePathNoBacksteps(file, path.child('path'), errors);
  else errors.push(required(path.child('path')));
}
