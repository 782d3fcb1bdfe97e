import type { Pod, PodCondition } from '@coxswain/api/core/v1';
import { podCondition } from '@coxswain/component-helpers';

/**
 * Returns the condition to write. Its lastTransitionTime is `now` when the status changes and the previous time otherwise.
 * Returns undefined when the pod already has the wanted condition.
 */
export function updatedPodCondition(
  pod: Pod,
  wanted: Omit<PodCondition, 'lastTransitionTime'>,
  now: string,
): PodCondition | undefined {
  const known = podCondition(pod, wanted.type);
  const lastTransitionTime = known?.status === wanted.status ? known.lastTransitionTime : now;
  const isSame =
    known?.status === wanted.status &&
    (known.reason ?? '') === (wanted.reason ?? '') &&
    (known.message ?? '') === (wanted.message ?? '') &&
    // Servers write null for an absent time.
    (known.lastProbeTime ?? undefined) === (wanted.lastProbeTime ?? undefined);
  return isSame ? undefined : { ...wanted, ...(lastTransitionTime && { lastTransitionTime }) };
}

/** Returns the pod with the condition replaced or appended. */
export function withPodCondition(pod: Pod, condition: PodCondition): Pod {
  const conditions = [...(pod.status?.conditions ?? [])];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  conditions.splice(index < 0 ? conditions.length : index, 1, condition);
  return { ...pod, status: { ...pod.status, conditions } };
}

/** Returns a patch of the pod's status that replaces or appends this condition. Its uid makes it fail on another pod of the same name. */
export function podConditionPatch({ metadata: { uid = '' }, status }: Pod, condition: PodCondition) {
  const types = new Set((status?.conditions ?? []).map(({ type }) => type)).add(condition.type);
  const order = { '$setElementOrder/conditions': [...types].map((type) => ({ type })) };
  return { metadata: { uid }, status: { ...order, conditions: [condition] } };
}
