import type { Pod, PodCondition, PodStatus } from '@coxswain/api/core/v1';
import { restartsAllContainers } from '../pods/restart-rules.ts';
import { latestContainer, type RuntimePod } from '../runtime/runtime-pod.ts';

/** A container has ended in a way that makes all of the pod's containers begin anew, and they have not yet. */
export function isRestartingAll({ spec }: Pod, runtimePod: RuntimePod, old: PodStatus): boolean {
  if (old.conditions?.some(({ type, status }) => type === 'AllContainersRestarting' && status === 'True')) return true;
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some((container) => {
    if (!container.restartPolicyRules) return false;
    const latest = latestContainer(runtimePod, container.name);
    return latest?.state === 'Exited' && restartsAllContainers(container, latest.exitCode);
  });
}

/** It holds until the last of the containers is taken away. */
export function restartingAllCondition(
  isRestarting: boolean,
  { spec }: Pod,
  runtimePod: RuntimePod,
  phase: PodStatus['phase'],
): PodCondition {
  const type = 'AllContainersRestarting';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const isCleanedUp = !containers.some(({ name }) => latestContainer(runtimePod, name));
  if (!isRestarting || isCleanedUp) return { type, status: 'False' };
  const message = 'container exited with restart policy rule';
  return { type, status: 'True', reason: 'RestartAllContainersStarted', message };
}
