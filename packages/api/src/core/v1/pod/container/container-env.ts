import {
  checkField,
  checkRequiredField,
  type ErrorList,
  invalid,
  invalidEach,
  isRelaxedEnvVarName,
  nameIsDnsSubdomain,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { EnvFromSource, EnvVar, EnvVarSource } from '../../../../generated/core/v1.ts';
import type { PodValidationOptions } from '../validation-options.ts';
import { envFieldPaths, validateObjectFieldSelector, validateResourceFieldSelector } from './downward-api.ts';
import { validateConfigMapKeySelector, validateFileKeySelector, validateSecretKeySelector } from './key-selector.ts';

const sources: {
  readonly [T in keyof EnvVarSource]-?: (
    source: NonNullable<EnvVarSource[T]>,
    path: Path,
    errors: ErrorList,
  ) => unknown;
} = {
  fieldRef: (selector, path, errors) => validateObjectFieldSelector(selector, envFieldPaths, path, errors),
  resourceFieldRef: (selector, path, errors) => validateResourceFieldSelector(selector, path, false, errors),
  configMapKeyRef: validateConfigMapKeySelector,
  secretKeyRef: validateSecretKeySelector,
  fileKeyRef: validateFileKeySelector,
};
const sourceNames = Object.keys(sources) as (keyof EnvVarSource)[];

function validateValueFrom(
  valueFrom: EnvVarSource,
  value: string | undefined,
  path: Path,
  { allowEnvFiles }: PodValidationOptions,
  errors: ErrorList,
): void {
  let present = 0;
  for (const name of sourceNames) {
    const source = valueFrom[name];
    if (source === undefined) continue;
    present++;
    const validate = sources[name] as (source: unknown, path: Path, errors: ErrorList) => unknown;
    validate(source, path.child(name), errors);
  }
  if (present === 0) {
    const last = allowEnvFiles ? ', `secretKeyRef` or `fileKeyRef`' : ' or `secretKeyRef`';
    errors.push(
      invalid(path, '', `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`${last}`),
    );
  } else if (value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (present > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
}

export function validateEnv(
  env: readonly EnvVar[],
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  for (let i = 0; i < env.length; i++) {
    const { name, value, valueFrom } = env[i]!;
    const at = path.index(i);
    checkRequiredField(at, 'name', name, isRelaxedEnvVarName, errors);
    if (valueFrom) validateValueFrom(valueFrom, value, at.child('valueFrom'), options, errors);
  }
}

export function validateEnvFrom(envFrom: readonly EnvFromSource[], path: Path, errors: ErrorList): void {
  envFrom.forEach((source, i) => {
    const at = path.index(i);
    if (source.prefix) checkField(at, 'prefix', source.prefix, isRelaxedEnvVarName, errors);
    const present = (['configMapRef', 'secretRef'] as const).filter((name) => source[name] !== undefined);
    for (const name of present) {
      const { name: target } = source[name]!;
      const namePath = at.child(name, 'name');
      if (target) invalidEach(namePath, target, nameIsDnsSubdomain(target, true), errors);
      else errors.push(required(namePath));
    }
    if (present.length === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (present.length > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  });
}
