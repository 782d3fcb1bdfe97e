import type { Container, ContainerRestartRule, PodSpec } from '@coxswain/api/core/v1';

/** Returns whether an init container is a sidecar, which keeps running beside the main containers. */
export const isSidecar = (container: Pick<Container, 'restartPolicy'>): boolean => container.restartPolicy === 'Always';

/** Returns the first restart rule that matches the exit code. */
function matchingRule({ restartPolicyRules }: Container, exitCode: number): ContainerRestartRule | undefined {
  return (restartPolicyRules ?? []).find(({ exitCodes }) => {
    if (!exitCodes) return false;
    const isListed = exitCodes.values?.includes(exitCode) ?? false;
    return exitCodes.operator === 'In' ? isListed : exitCodes.operator === 'NotIn' && !isListed;
  });
}

/** Returns whether all containers of the pod are restarted when this one exits with the code. */
export const restartsAllContainers = (container: Container, exitCode: number): boolean =>
  matchingRule(container, exitCode)?.action === 'RestartAllContainers';

/** Returns whether any container of the pod has a rule that restarts all containers. */
export const couldRestartAllContainers = ({ initContainers, containers }: PodSpec): boolean =>
  [...(initContainers ?? []), ...containers].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );

/** Returns whether a container is restarted after an exit code, by its restart rules, else its own restart policy, else the pod's. */
export function restartsAfter(container: Container, spec: PodSpec, exitCode: number): boolean {
  if (container.restartPolicy !== undefined && matchingRule(container, exitCode)) return true;
  switch (container.restartPolicy ?? spec.restartPolicy) {
    case 'Never':
      return false;
    case 'OnFailure':
      return exitCode !== 0;
    default:
      return true;
  }
}
