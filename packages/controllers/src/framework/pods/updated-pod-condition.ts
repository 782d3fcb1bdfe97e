import type { Pod, PodCondition } from '@coxswain/api/core/v1';
import { podCondition } from '@coxswain/component-helpers';

/**
 * The condition as it is to be written, with the time since when its status is what it is. Undefined when the pod says
 * just that already.
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
    // Servers write null where there is none.
    (known.lastProbeTime ?? undefined) === (wanted.lastProbeTime ?? undefined);
  return isSame ? undefined : { ...wanted, ...(lastTransitionTime && { lastTransitionTime }) };
}

/** The pod with that condition in place of the one of its type, or as its last. */
export function withPodCondition(pod: Pod, condition: PodCondition): Pod {
  const conditions = [...(pod.status?.conditions ?? [])];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  conditions.splice(index < 0 ? conditions.length : index, 1, condition);
  return { ...pod, status: { ...pod.status, conditions } };
}

/** A patch of the pod's status that sets just that condition, in its place or as the last; not on another pod of that name. */
export function podConditionPatch({ metadata: { uid = '' }, status }: Pod, condition: PodCondition) {
  const types = new Set((status?.conditions ?? []).map(({ type }) => type)).add(condition.type);
  const order = { '$setElementOrder/conditions': [...types].map((type) => ({ type })) };
  return { metadata: { uid }, status: { ...order, conditions: [condition] } };
}
