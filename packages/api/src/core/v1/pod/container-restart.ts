import {
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  notSupported,
  type Path,
  required,
  tooMany,
} from '@coxswain/apimachinery';
import type { Container, ContainerResizePolicy } from '../../../generated/core/v1.ts';
import { printedAsJson, requiredSupported, unlessSupported } from './checks.ts';
import type { PodValidationOptions } from './validation-options.ts';

const maxRules = 20;
const maxExitCodes = 255;

/** A container's own restart policy, and the rules that go before it. */
export function validateContainerRestartPolicy(
  { restartPolicy, restartPolicyRules: rules = [] }: Container,
  path: Path,
  { allowRestartAllContainers }: PodValidationOptions,
): ErrorList {
  const errors: ErrorList = [];
  const policyPath = path.child('restartPolicy');
  if (restartPolicy !== undefined)
    errors.push(...unlessSupported(policyPath, restartPolicy, ['Always', 'Never', 'OnFailure']));
  else if (rules.length > 0)
    errors.push(required(policyPath, 'must specify restartPolicy when restart rules are used'));
  const rulesPath = path.child('restartPolicyRules');
  if (rules.length > maxRules) errors.push(tooMany(rulesPath, rules.length, maxRules));
  const actions = allowRestartAllContainers ? ['Restart', 'RestartAllContainers'] : ['Restart'];
  rules.forEach(({ action, exitCodes }, i) => {
    const at = rulesPath.index(i);
    errors.push(...unlessSupported(at.child('action'), action, actions));
    const codesPath = at.child('exitCodes');
    if (!exitCodes) {
      errors.push(required(codesPath, 'must be specified'));
      return;
    }
    const { operator, values = [] } = exitCodes;
    errors.push(...unlessSupported(codesPath.child('operator'), operator, ['In', 'NotIn']));
    if (values.length > maxExitCodes) errors.push(tooMany(codesPath.child('values'), values.length, maxExitCodes));
  });
  return errors;
}

export function validateInitContainerRestartPolicy(
  container: Container,
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined)
    return rules.length > 0
      ? [required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')]
      : [];
  if (restartPolicy !== 'Always')
    return options.allowContainerRestartPolicyRules
      ? validateContainerRestartPolicy(container, path, options)
      : [notSupported(path.child('restartPolicy'), restartPolicy, ['Always'])];
  if (!options.allowContainerRestartPolicyRules) return [];
  if (options.allowRestartAllContainers) return validateContainerRestartPolicy(container, path, options);
  const detail = 'restartPolicyRules are not allowed for init containers with restart policy Always';
  return rules.length > 0 ? [forbidden(path.child('restartPolicyRules'), detail)] : [];
}

/** What must happen to the container when its resources change. */
export function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  path: Path,
  podRestartPolicy: string | undefined,
): ErrorList {
  const errors: ErrorList = [];
  const seen = new Set<string>();
  policies.forEach(({ resourceName, restartPolicy }, i) => {
    if (seen.has(resourceName)) errors.push(duplicate(path.index(i), resourceName));
    seen.add(resourceName);
    errors.push(...requiredSupported(path, resourceName, ['cpu', 'memory']));
    errors.push(...requiredSupported(path, restartPolicy, ['NotRequired', 'RestartContainer']));
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(
        invalid(path, printedAsJson(restartPolicy), "must be 'NotRequired' when pod `restartPolicy` is 'Never'"),
      );
  });
  return errors;
}
