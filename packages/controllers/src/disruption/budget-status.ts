import type { Pod } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@coxswain/api/policy/v1';
import { getScaledValueFromIntOrPercent, isInt } from '@coxswain/apimachinery/intstr';
import { type ConditionInput, findStatusCondition, setStatusCondition } from '@coxswain/apimachinery/meta';
import { isPodReady } from '@coxswain/component-helpers';

/** An evicted pod must get a deletion timestamp within this time after the eviction was granted. */
const deletionTimeoutMs = 2 * 60_000;

const conditionType = 'DisruptionAllowed';

/** Whether the budget depends on the desired number of pods, and not only on the number of existing ones. */
export const needsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';

/** Returns how many of the expected pods must stay healthy. Throws when the budget is not a valid number or percentage. */
export function desiredHealthy({ spec }: PodDisruptionBudget, expectedPods: number): number {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    return Math.max(0, expectedPods - getScaledValueFromIntOrPercent(maxUnavailable, expectedPods, true));
  }
  if (minAvailable === undefined) return 0;
  return isInt(minAvailable) ? minAvailable : getScaledValueFromIntOrPercent(minAvailable, expectedPods, true);
}

/** Granted evictions whose pods are not being deleted yet. */
export interface Disruptions {
  /** When each eviction was granted, by pod name. */
  readonly pods: Readonly<Record<string, string>>;
  /** Pods that should be terminating by now and are not. */
  readonly overdue: readonly Pod[];
  /** When the next of the pending evictions becomes overdue. */
  readonly recheckAt: number | undefined;
}

export function pendingDisruptions(pods: readonly Pod[], { status }: PodDisruptionBudget, now: number): Disruptions {
  const pending: Record<string, string> = {};
  const overdue: Pod[] = [];
  let recheckAt: number | undefined;
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const grantedAt = status?.disruptedPods?.[name];
    if (deletionTimestamp || grantedAt === undefined) continue;
    const dueAt = Date.parse(grantedAt) + deletionTimeoutMs;
    if (dueAt < now) {
      overdue.push(pod);
      continue;
    }
    pending[name] = grantedAt;
    recheckAt = Math.min(recheckAt ?? dueAt, dueAt);
  }
  return { pods: pending, overdue, recheckAt };
}

/** Counts the pods that are ready, not terminating and not about to be evicted. */
export function countHealthy(pods: readonly Pod[], disrupted: Disruptions['pods'], now: number): number {
  return pods.filter((pod) => {
    const grantedAt = disrupted[pod.metadata.name ?? ''];
    const isGoing = grantedAt !== undefined && Date.parse(grantedAt) + deletionTimeoutMs > now;
    return !pod.metadata.deletionTimestamp && !isGoing && isPodReady(pod);
  }).length;
}

export interface BudgetCounts {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptedPods: Readonly<Record<string, string>>;
}

/** Returns the new status, or undefined when it is unchanged. */
export function budgetStatus(
  { metadata: { generation = 0 }, status = {} }: PodDisruptionBudget,
  counts: BudgetCounts,
  now: Date,
): PodDisruptionBudgetStatus | undefined {
  const { currentHealthy, desiredHealthy: desired, expectedPods, disruptedPods } = counts;
  const spare = Math.max(0, currentHealthy - desired);
  const disruptionsAllowed = expectedPods > 0 ? spare : 0;
  const outcome =
    disruptionsAllowed > 0
      ? ({ status: 'True', reason: 'SufficientPods' } as const)
      : ({ status: 'False', reason: 'InsufficientPods' } as const);
  const known = findStatusCondition(status.conditions, conditionType);
  const isSame =
    (status.currentHealthy ?? 0) === currentHealthy &&
    (status.desiredHealthy ?? 0) === desired &&
    (status.expectedPods ?? 0) === expectedPods &&
    (status.disruptionsAllowed ?? 0) === disruptionsAllowed &&
    isSameRecord(status.disruptedPods ?? {}, disruptedPods) &&
    (status.observedGeneration ?? 0) === generation &&
    known?.status === outcome.status &&
    known.reason === outcome.reason;
  if (isSame) return undefined;
  return {
    observedGeneration: generation,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods: { ...disruptedPods } }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy: desired,
    expectedPods,
    conditions: withCondition(status, { ...outcome, message: '', observedGeneration: generation }, now),
  };
}

/** Returns a status that allows no disruptions, because the pods could not be counted. Undefined when the status is unchanged. */
export function failedStatus(
  { status = {} }: PodDisruptionBudget,
  message: string,
  now: Date,
): PodDisruptionBudgetStatus | undefined {
  const { observedGeneration = 0 } = status;
  const known = findStatusCondition(status.conditions, conditionType);
  const isSaid = known?.status === 'False' && known.reason === 'SyncFailed' && known.message === message;
  if (isSaid && !status.disruptionsAllowed) return undefined;
  const outcome = { status: 'False', reason: 'SyncFailed', message, observedGeneration } as const;
  return { ...status, disruptionsAllowed: 0, conditions: withCondition(status, outcome, now) };
}

function withCondition(status: PodDisruptionBudgetStatus, outcome: Omit<ConditionInput, 'type'>, now: Date) {
  const conditions = (status.conditions ?? []).map((condition) => ({ ...condition }));
  setStatusCondition(conditions, { type: conditionType, ...outcome }, () => now);
  return conditions;
}

function isSameRecord(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
