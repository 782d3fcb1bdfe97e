import {
  type ErrorList,
  invalid,
  isRelaxedEnvVarName,
  nameIsDnsSubdomain,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { EnvFromSource, EnvVar, EnvVarSource } from '../../../generated/core/v1.ts';
import { invalidEach } from './checks.ts';
import { envFieldPaths, validateObjectFieldSelector, validateResourceFieldSelector } from './downward-api.ts';
import { validateConfigMapKeySelector, validateFileKeySelector, validateSecretKeySelector } from './key-selector.ts';
import type { PodValidationOptions } from './validation-options.ts';

const sources: {
  readonly [T in keyof EnvVarSource]-?: (source: NonNullable<EnvVarSource[T]>, path: Path) => ErrorList;
} = {
  fieldRef: (selector, path) => validateObjectFieldSelector(selector, envFieldPaths, path),
  resourceFieldRef: (selector, path) => validateResourceFieldSelector(selector, path, false),
  configMapKeyRef: validateConfigMapKeySelector,
  secretKeyRef: validateSecretKeySelector,
  fileKeyRef: validateFileKeySelector,
};
const sourceNames = Object.keys(sources) as (keyof EnvVarSource)[];

function validateValueFrom(
  { value, valueFrom }: EnvVar,
  path: Path,
  { allowEnvFiles }: PodValidationOptions,
): ErrorList {
  if (!valueFrom) return [];
  const present = sourceNames.filter((name) => valueFrom[name] !== undefined);
  const errors = present.flatMap((name) => {
    const validate = sources[name] as (source: unknown, path: Path) => ErrorList;
    return validate(valueFrom[name], path.child(name));
  });
  if (present.length === 0) {
    const last = allowEnvFiles ? ', `secretKeyRef` or `fileKeyRef`' : ' or `secretKeyRef`';
    errors.push(
      invalid(path, '', `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`${last}`),
    );
  } else if (value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (present.length > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  return errors;
}

export function validateEnv(env: readonly EnvVar[], path: Path, options: PodValidationOptions): ErrorList {
  const errors: ErrorList = [];
  env.forEach((variable, i) => {
    const at = path.index(i);
    const { name } = variable;
    errors.push(
      ...(name ? invalidEach(at.child('name'), name, isRelaxedEnvVarName(name)) : [required(at.child('name'))]),
    );
    if (variable.valueFrom) errors.push(...validateValueFrom(variable, at.child('valueFrom'), options));
  });
  return errors;
}

export function validateEnvFrom(envFrom: readonly EnvFromSource[], path: Path): ErrorList {
  const errors: ErrorList = [];
  envFrom.forEach((source, i) => {
    const at = path.index(i);
    if (source.prefix)
      errors.push(...invalidEach(at.child('prefix'), source.prefix, isRelaxedEnvVarName(source.prefix)));
    const present = (['configMapRef', 'secretRef'] as const).filter((name) => source[name] !== undefined);
    for (const name of present) {
      const { name: target } = source[name]!;
      const namePath = at.child(name, 'name');
      errors.push(...(target ? invalidEach(namePath, target, nameIsDnsSubdomain(target, true)) : [required(namePath)]));
    }
    if (present.length === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (present.length > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  });
  return errors;
}
