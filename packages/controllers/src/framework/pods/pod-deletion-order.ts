import type { ContainerStatus, Pod } from '@coxswain/api/core/v1';
import { isPodReady, podCondition } from '@coxswain/component-helpers';

const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const phases = ['Pending', 'Unknown', 'Running'];

/**
 * Which pods of a set go first when there are too many: those that are worth least. Not placed before placed, pending before
 * running, not ready before ready, the cheaper by their annotation, those that share a node with more of their kind, the
 * younger. Ages are compared by orders of magnitude only, so that it is not always the youngest that suffer.
 *
 * `rankOf`: how many of the set are on the pod's node.
 */
export function byDeletionOrder(rankOf: (pod: Pod) => number, now: number): (a: Pod, b: Pod) => number {
  const byAge = (a: Pod, b: Pod, timeOf: (pod: Pod) => number): number => {
    const [timeA, timeB] = [timeOf(a), timeOf(b)];
    if (timeA === timeB) return 0;
    // No time at all is younger than any.
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
 * Which pods of a Job go first: those that have done least. Like the order above, but by exact ages, and neither by what
 * the annotation says nor by node.
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

/** A number that is no 32-bit integer counts as none. */
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

/** The order of magnitude of an age, in doublings. */
const magnitude = (ageMs: number): number => (ageMs <= 0 ? 0 : Math.floor(Math.log2(ageMs * 1e6)));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
