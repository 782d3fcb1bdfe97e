import type { ContainerStatus, Pod } from '@coxswain/api/core/v1';
import { isPodReady, podCondition } from '@coxswain/component-helpers';

const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const phases = ['Pending', 'Unknown', 'Running'];

/**
 * Compares the pods of a set for scale-down; the first are deleted first. Unscheduled before scheduled, pending before running,
 * not ready before ready, lower deletion cost (annotation) first, more pods of the set on the same node first, more recently
 * ready first, more restarts first, younger first. Ages are compared by order of magnitude only, so that it is not always the
 * youngest pod that is deleted.
 *
 * `rankOf` returns how many pods of the set are on the pod's node.
 */
export function byDeletionOrder(rankOf: (pod: Pod) => number, now: number): (a: Pod, b: Pod) => number {
  const byAge = (a: Pod, b: Pod, timeOf: (pod: Pod) => number): number => {
    const [timeA, timeB] = [timeOf(a), timeOf(b)];
    if (timeA === timeB) return 0;
    // A missing time counts as youngest.
    if (timeA === 0 || timeB === 0) return timeA - timeB;
    return magnitude(now - timeA) - magnitude(now - timeB) || compare(a.metadata.uid ?? '', b.metadata.uid ?? '');
  };
  return (a, b) =>
    Number(!!a.spec?.nodeName) - Number(!!b.spec?.nodeName) ||
    phases.indexOf(a.status?.phase ?? '') - phases.indexOf(b.status?.phase ?? '') ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    rankOf(b) - rankOf(a) ||
    (isPodReady(a) ? byAge(a, b, readyTime) : 0) ||
    restarts(b.status?.containerStatuses) - restarts(a.status?.containerStatuses) ||
    sidecarRestarts(b) - sidecarRestarts(a) ||
    byAge(a, b, (pod) => Date.parse(pod.metadata.creationTimestamp ?? '') || 0);
}

/**
 * Compares the pods of a Job; the first are deleted first. Like `byDeletionOrder`, but ages are compared exactly, and the
 * deletion cost and the node are ignored.
 */
export function byActivity(a: Pod, b: Pod): number {
  const youngerFirst = (timeOf: (pod: Pod) => number): number => {
    const [timeA, timeB] = [timeOf(a), timeOf(b)];
    return timeA === 0 || timeB === 0 ? timeA - timeB : timeB - timeA;
  };
  return (
    Number(!!a.spec?.nodeName) - Number(!!b.spec?.nodeName) ||
    phases.indexOf(a.status?.phase ?? '') - phases.indexOf(b.status?.phase ?? '') ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    (isPodReady(a) ? youngerFirst(readyTime) : 0) ||
    restarts(b.status?.containerStatuses) - restarts(a.status?.containerStatuses) ||
    sidecarRestarts(b) - sidecarRestarts(a) ||
    youngerFirst((pod) => Date.parse(pod.metadata.creationTimestamp ?? '') || 0)
  );
}

/** Returns 0 for an annotation that is not a 32-bit integer. */
function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[deletionCostAnnotation];
  if (text === undefined || !/^(0|-?[1-9]\d{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

function restarts(statuses: readonly ContainerStatus[] | null | undefined): number {
  let most = 0;
  for (const { restartCount } of statuses ?? []) most = Math.max(most, restartCount);
  return most;
}

function sidecarRestarts({ spec, status }: Pod): number {
  const sidecars = new Set(spec?.initContainers?.filter((it) => it.restartPolicy === 'Always').map(({ name }) => name));
  return restarts(status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name)));
}

const readyTime = (pod: Pod): number => Date.parse(podCondition(pod, 'Ready')?.lastTransitionTime ?? '') || 0;

/** Returns the order of magnitude (base 2) of an age. */
const magnitude = (ageMs: number): number => (ageMs <= 0 ? 0 : Math.floor(Math.log2(ageMs * 1e6)));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
