import type { Pod, PodCondition, PodStatus } from '@coxswain/api/core/v1';
import { restartsAllContainers } from '../pods/restart-rules.ts';
import { latestContainer, type RuntimePod } from '../runtime/runtime-pod.ts';

/** Returns whether a container's exit restarts all containers of the pod, and that restart is not complete yet. */
export function isRestartingAll({ spec }: Pod, runtimePod: RuntimePod, old: PodStatus): boolean {
  if (old.conditions?.some(({ type, status }) => type === 'AllContainersRestarting' && status === 'True')) return true;
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some((container) => {
    if (!container.restartPolicyRules) return false;
    const latest = latestContainer(runtimePod, container.name);
    return latest?.state === 'Exited' && restartsAllContainers(container, latest.exitCode);
  });
}

/** Returns the condition `AllContainersRestarting`. It is True until the last of the old containers is removed. */
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
