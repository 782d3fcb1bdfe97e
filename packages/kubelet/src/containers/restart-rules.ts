import type { Container, ContainerRestartRule, Pod, PodSpec } from '@coxswain/api/core/v1';
import { latestContainer, type RuntimePod } from '../runtime/runtime-pod.ts';

/** A sidecar: an init container that keeps running beside the others. */
export const isSidecar = (container: Pick<Container, 'restartPolicy'>): boolean => container.restartPolicy === 'Always';

/** The first of the container's rules that has something to say of the exit code. */
function matchingRule({ restartPolicyRules }: Container, exitCode: number): ContainerRestartRule | undefined {
  return (restartPolicyRules ?? []).find(({ exitCodes }) => {
    if (!exitCodes) return false;
    const isListed = exitCodes.values?.includes(exitCode) ?? false;
    return exitCodes.operator === 'In' ? isListed : exitCodes.operator === 'NotIn' && !isListed;
  });
}

/** All containers of the pod begin anew when this one ends so. */
export const restartsAllContainers = (container: Container, exitCode: number): boolean =>
  matchingRule(container, exitCode)?.action === 'RestartAllContainers';

/** Whether any container of the pod may, one day. */
export const couldRestartAllContainers = ({ initContainers, containers }: PodSpec): boolean =>
  [...(initContainers ?? []), ...containers].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );

/** Whether a container that ended so is to run again: its own rules count before its policy, that before the pod's. */
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

/** Whether the container is to be started, as things are now. */
export function shouldBeStarted(container: Container, pod: Pod, runtimePod: RuntimePod): boolean {
  if (pod.metadata.deletionTimestamp) return false;
  const latest = latestContainer(runtimePod, container.name);
  if (!latest || latest.state === 'Created') return true;
  return latest.state === 'Exited' && restartsAfter(container, pod.spec!, latest.exitCode);
}
