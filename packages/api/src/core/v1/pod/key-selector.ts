import {
  type ErrorList,
  isConfigMapKey,
  isDns1123Label,
  isRelaxedEnvVarName,
  nameIsDnsSubdomain,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { ConfigMapKeySelector, FileKeySelector, SecretKeySelector } from '../../../generated/core/v1.ts';
import { invalidEach } from './checks.ts';
import { validatePathNoBacksteps } from './path-rules.ts';

/** A key of a secret, by names. */
export function validateSecretKeySelector({ name = '', key }: SecretKeySelector, path: Path): ErrorList {
  const errors = invalidEach(path.child('name'), name, nameIsDnsSubdomain(name, false));
  const keyPath = path.child('key');
  errors.push(...(key ? invalidEach(keyPath, key, isConfigMapKey(key)) : [required(keyPath)]));
  return errors;
}

/** A key of a config map, by names: the rules are those of a secret's. */
export const validateConfigMapKeySelector: (selector: ConfigMapKeySelector, path: Path) => ErrorList =
  validateSecretKeySelector;

/** A variable in a file of one of the pod's volumes. */
export function validateFileKeySelector({ key, volumeName, path: file }: FileKeySelector, path: Path): ErrorList {
  const requiredAnd = (name: string, value: string, check: (at: Path) => ErrorList): ErrorList =>
    value ? check(path.child(name)) : [required(path.child(name))];
  return [
    ...requiredAnd('key', key, (at) => invalidEach(at, key, isRelaxedEnvVarName(key))),
    ...requiredAnd('volumeName', volumeName, (at) => invalidEach(at, volumeName, isDns1123Label(volumeName))),
    ...requiredAnd('path', file, (at) => validatePathNoBacksteps(file, at)),
  ];
}
