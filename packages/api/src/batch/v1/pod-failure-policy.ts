import {
  duplicate,
  type ErrorList,
  invalid,
  isQualifiedName,
  omittedValue,
  type Path,
  quote,
  required,
  tooMany,
} from '@coxswain/apimachinery';
import { invalidEach, unlessSupported } from '../../core/v1/pod/index.ts';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '../../generated/batch/v1.ts';

const max = { rules: 20, exitCodes: 255, podConditions: 20 };
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** Like `unlessSupported`, with the supported values in the message for an absent value. */
function chosenFrom(values: readonly string[], value: string | undefined, path: Path): ErrorList {
  if (!value) return [required(path, `valid values: [${values.map(quote).join(' ')}]`)];
  return unlessSupported(path, value, values);
}

export function validatePodFailurePolicy(spec: JobSpec, path: Path): ErrorList {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  const { containers, initContainers } = spec.template.spec ?? {};
  const containerNames = [...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name);
  return [
    ...(rules.length > max.rules ? [tooMany(rulesPath, rules.length, max.rules)] : []),
    ...rules.flatMap((rule, i) => validateRule(rule, spec, containerNames, rulesPath.index(i))),
  ];
}

function validateRule(
  { action, onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  { backoffLimitPerIndex }: JobSpec,
  containerNames: readonly string[],
  path: Path,
): ErrorList {
  const errors = chosenFrom(actions, action, path.child('action'));
  if (action === 'FailIndex' && backoffLimitPerIndex === undefined)
    errors.push(invalid(path.child('action'), action, 'requires the backoffLimitPerIndex to be set'));
  if (onExitCodes) errors.push(...validateOnExitCodes(onExitCodes, containerNames, path.child('onExitCodes')));
  errors.push(...validateOnPodConditions(onPodConditions, path.child('onPodConditions')));
  const hasConditions = onPodConditions.length > 0;
  if (onExitCodes && hasConditions)
    errors.push(invalid(path, omittedValue, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!onExitCodes && !hasConditions)
    errors.push(invalid(path, omittedValue, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

function validateOnPodConditions(patterns: readonly PodFailurePolicyOnPodConditionsPattern[], path: Path): ErrorList {
  return [
    ...(patterns.length > max.podConditions ? [tooMany(path, patterns.length, max.podConditions)] : []),
    ...patterns.flatMap(({ type, status }, i) => [
      ...invalidEach(path.index(i).child('type'), type, isQualifiedName(type)),
      ...chosenFrom(statuses, status, path.index(i).child('status')),
    ]),
  ];
}

function validateOnExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  containerNames: readonly string[],
  path: Path,
): ErrorList {
  const errors = chosenFrom(operators, operator, path.child('operator'));
  if (containerName !== undefined && !containerNames.includes(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(path.child('containerName'), containerName, detail));
  }
  const valuesPath = path.child('values');
  const codes = values ?? [];
  if (codes.length === 0) errors.push(invalid(valuesPath, values, 'at least one value is required'));
  else if (codes.length > max.exitCodes) errors.push(tooMany(valuesPath, codes.length, max.exitCodes));
  const seen = new Set<number>();
  codes.forEach((code, i) => {
    if (operator === 'In' && code === 0)
      errors.push(invalid(valuesPath.index(i), code, 'must not be 0 for the In operator'));
    if (seen.has(code)) errors.push(duplicate(valuesPath.index(i), code));
    seen.add(code);
  });
  if (codes.some((code, i) => i > 0 && codes[i - 1]! > code))
    errors.push(invalid(valuesPath, codes, 'must be ordered'));
  return errors;
}
