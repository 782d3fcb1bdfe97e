import type { Node, Pod } from '@coxswain/api/core/v1';
import { isPodTerminal } from '@coxswain/component-helpers';
import { updatedPodCondition } from '../framework/pods/updated-pod-condition.ts';

/** The reason and message of a DisruptionTarget condition. */
export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

const outOfServiceTaint = 'node.kubernetes.io/out-of-service';
const unfinishedPhases: readonly unknown[] = ['Pending', 'Running', 'Unknown'];

/** Returns the terminated pods beyond the threshold: evicted ones first, then the oldest. */
export function excessTerminated(pods: readonly Pod[], threshold: number): Pod[] {
  const terminated = pods.filter(({ status }) => !unfinishedPhases.includes(status?.phase));
  const count = terminated.length - threshold;
  return count > 0 ? terminated.sort(byEvictionAndAge).slice(0, count) : [];
}

/** Returns terminating pods on nodes with the out-of-service taint that are not ready: no kubelet will complete their deletion. */
export function terminatingOutOfService(pods: readonly Pod[], nodeOf: (name: string) => Node | undefined): Pod[] {
  const stuck = pods.filter(({ metadata, spec }) => {
    if (!metadata.deletionTimestamp || !spec?.nodeName) return false;
    const node = nodeOf(spec.nodeName);
    return node !== undefined && isOutOfService(node);
  });
  return stuck.sort(byEvictionAndAge);
}

function isOutOfService({ spec, status }: Node): boolean {
  const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return !isReady && spec?.taints?.some(({ key }) => key === outOfServiceTaint) === true;
}

/** Returns terminating pods that are not bound to a node: no kubelet will complete their deletion. */
export const terminatingUnscheduled = (pods: readonly Pod[]): Pod[] =>
  pods.filter(({ metadata, spec }) => metadata.deletionTimestamp !== undefined && !spec?.nodeName);

function byEvictionAndAge(a: Pod, b: Pod): number {
  const isEvicted = ({ status }: Pod): boolean => status?.phase === 'Failed' && status.reason === 'Evicted';
  const created = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  const [nameA, nameB] = [a.metadata.name ?? '', b.metadata.name ?? ''];
  return (
    Number(isEvicted(b)) - Number(isEvicted(a)) ||
    created(a) - created(b) ||
    (nameA < nameB ? -1 : nameA > nameB ? 1 : 0)
  );
}

/**
 * Returns a patch that sets the phase Failed before the pod is deleted, so that controllers count it as failed. Undefined for a
 * terminated pod. With `disruption` it also sets the DisruptionTarget condition.
 */
export function failedStatusPatch(pod: Pod, disruption: Disruption | undefined, now: string) {
  if (isPodTerminal(pod)) return undefined;
  const { uid = '', generation } = pod.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const wanted = disruption && { type: 'DisruptionTarget', status: 'True', ...disruption, ...observed };
  const condition = wanted && updatedPodCondition(pod, wanted, now);
  const status = { phase: 'Failed' as const, ...observed, ...(condition && { conditions: [condition] }) };
  return { metadata: { uid }, status };
}
