import type { HorizontalPodAutoscalerCondition } from '@coxswain/api/autoscaling/v2';

type Conditions = readonly HorizontalPodAutoscalerCondition[];

/** Returns the conditions with this one replaced or appended. lastTransitionTime changes only with the status. */
export function withCondition(
  conditions: Conditions,
  condition: Required<Omit<HorizontalPodAutoscalerCondition, 'lastTransitionTime'>>,
  now: string,
): HorizontalPodAutoscalerCondition[] {
  const next = [...conditions];
  const index = next.findIndex(({ type }) => type === condition.type);
  const known = next[index];
  const lastTransitionTime = known?.status === condition.status ? known.lastTransitionTime : now;
  next.splice(index < 0 ? next.length : index, 1, {
    ...condition,
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  });
  return next;
}

export const withoutCondition = (conditions: Conditions, type: string): HorizontalPodAutoscalerCondition[] =>
  conditions.filter((condition) => condition.type !== type);
