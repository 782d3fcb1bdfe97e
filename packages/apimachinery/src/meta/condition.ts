import type { Time } from './scalars.ts';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** One aspect of an object's observed state. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  observedGeneration?: number;
  lastTransitionTime: Time;
  reason: string;
  message: string;
}

/** A condition to set. Without a transition time, the time of the call is used. */
export type ConditionInput = Omit<Condition, 'lastTransitionTime'> & { lastTransitionTime?: Time };

/** Returns the condition itself, not a copy. */
export function findStatusCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Adds the condition, or updates the one of its type in place. The transition time changes only when the status does. Returns whether
 * anything changed.
 */
export function setStatusCondition(conditions: Condition[], wanted: ConditionInput, now: () => Date): boolean {
  const existing = findStatusCondition(conditions, wanted.type);
  const transitionTime = (): Time => wanted.lastTransitionTime ?? wholeSeconds(now());
  if (!existing) {
    const { type, status, observedGeneration, reason, message } = wanted;
    const generation = observedGeneration ? { observedGeneration } : {};
    conditions.push({ type, status, ...generation, lastTransitionTime: transitionTime(), reason, message });
    return true;
  }
  let changed = false;
  if (existing.status !== wanted.status) {
    existing.status = wanted.status;
    existing.lastTransitionTime = transitionTime();
    changed = true;
  }
  if (existing.reason !== wanted.reason) {
    existing.reason = wanted.reason;
    changed = true;
  }
  if (existing.message !== wanted.message) {
    existing.message = wanted.message;
    changed = true;
  }
  // A generation of zero is the same as none.
  if ((existing.observedGeneration ?? 0) !== (wanted.observedGeneration ?? 0)) {
    if (wanted.observedGeneration) existing.observedGeneration = wanted.observedGeneration;
    else delete existing.observedGeneration;
    changed = true;
  }
  return changed;
}

/** Removes every condition of the type, in place. Returns whether there was one. */
export function removeStatusCondition(conditions: Condition[] | undefined, type: string): boolean {
  if (!conditions) return false;
  const kept = conditions.filter((condition) => condition.type !== type);
  const removed = kept.length !== conditions.length;
  if (removed) conditions.splice(0, conditions.length, ...kept);
  return removed;
}

/** False when there is no such condition. */
export function isStatusConditionPresentAndEqual(
  conditions: readonly Condition[] | undefined,
  type: string,
  status: ConditionStatus,
): boolean {
  return findStatusCondition(conditions, type)?.status === status;
}

export const isStatusConditionTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  isStatusConditionPresentAndEqual(conditions, type, 'True');

export const isStatusConditionFalse = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  isStatusConditionPresentAndEqual(conditions, type, 'False');

function wholeSeconds(date: Date): Time {
  return `${date.toISOString().slice(0, 19)}Z`;
}
