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
import type { Container, ContainerResizePolicy } from '../../../../generated/core/v1.ts';
import { checkSupported, printedAsJson, requiredSupported, unlessSupported } from '../../checks.ts';
import type { PodValidationOptions } from '../validation-options.ts';

const maxRules = 20;
const maxExitCodes = 255;

const restartPolicies = ['Always', 'Never', 'OnFailure'];
const rulesNeedPolicy = 'must specify restartPolicy when restart rules are used';

/** Validates a container's own restart policy and its restartPolicyRules. */
export function validateContainerRestartPolicy(
  { restartPolicy, restartPolicyRules: rules }: Container,
  path: Path,
  { allowRestartAllContainers }: PodValidationOptions,
  errors: ErrorList,
): void {
  if (restartPolicy !== undefined) checkSupported(path, 'restartPolicy', restartPolicy, restartPolicies, errors);
  else if (rules && rules.length > 0) errors.push(required(path.child('restartPolicy'), rulesNeedPolicy));
  if (!rules) return;
  const rulesPath = path.child('restartPolicyRules');
  if (rules.length > maxRules) errors.push(tooMany(rulesPath, rules.length, maxRules));
  const actions = allowRestartAllContainers ? ['Restart', 'RestartAllContainers'] : ['Restart'];
  rules.forEach(({ action, exitCodes }, i) => {
    const at = rulesPath.index(i);
    unlessSupported(at.child('action'), action, actions, errors);
    const codesPath = at.child('exitCodes');
    if (!exitCodes) {
      errors.push(required(codesPath, 'must be specified'));
      return;
    }
    const { operator, values } = exitCodes;
    unlessSupported(codesPath.child('operator'), operator, ['In', 'NotIn'], errors);
    if (values && values.length > maxExitCodes)
      errors.push(tooMany(codesPath.child('values'), values.length, maxExitCodes));
  });
}

export function validateInitContainerRestartPolicy(
  container: Container,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  const { restartPolicy } = container;
  const hasRules = (container.restartPolicyRules ?? []).length > 0;
  const { allowContainerRestartPolicyRules, allowRestartAllContainers } = options;
  if (restartPolicy === undefined) {
    if (hasRules) errors.push(required(path.child('restartPolicy'), rulesNeedPolicy));
  } else if (allowContainerRestartPolicyRules && (restartPolicy !== 'Always' || allowRestartAllContainers)) {
    validateContainerRestartPolicy(container, path, options, errors);
  } else if (restartPolicy !== 'Always') {
    errors.push(notSupported(path.child('restartPolicy'), restartPolicy, ['Always']));
  } else if (allowContainerRestartPolicyRules && hasRules) {
    const detail = 'restartPolicyRules are not allowed for init containers with restart policy Always';
    errors.push(forbidden(path.child('restartPolicyRules'), detail));
  }
}

/** Validates what happens to the container when its resources are resized. */
export function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  path: Path,
  podRestartPolicy: string | undefined,
  errors: ErrorList,
): void {
  const seen = new Set<string>();
  policies.forEach(({ resourceName, restartPolicy }, i) => {
    if (seen.has(resourceName)) errors.push(duplicate(path.index(i), resourceName));
    seen.add(resourceName);
    requiredSupported(path, resourceName, ['cpu', 'memory'], errors);
    requiredSupported(path, restartPolicy, ['NotRequired', 'RestartContainer'], errors);
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(
        invalid(path, printedAsJson(restartPolicy), "must be 'NotRequired' when pod `restartPolicy` is 'Never'"),
      );
  });
}
