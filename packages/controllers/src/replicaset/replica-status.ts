import type { ReplicaSetStatus } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { isPodAvailable, isPodReady } from '@coxswain/component-helpers';
import { type ReplicatedObject, replicasOf } from './replicated-kind.ts';

export interface ObservedReplicas {
  readonly activePods: readonly Pod[];
  /** Undefined for kinds whose status does not have this count. */
  readonly terminatingPods?: number;
  /** The error of creating or deleting pods. */
  readonly failure?: unknown;
  readonly now: number;
}

const replicaFailure = 'ReplicaFailure';

/** Returns the new status. An existing failure condition is kept unchanged while there are failures. */
export function replicaStatus(object: ReplicatedObject, observed: ObservedReplicas): ReplicaSetStatus {
  const { activePods, terminatingPods, now } = observed;
  const { minReadySeconds = 0, template } = object.spec ?? {};
  const templateLabels = Object.entries(template?.metadata?.labels ?? {});
  let [fullyLabeled, ready, available] = [0, 0, 0];
  for (const pod of activePods) {
    if (templateLabels.every(([key, value]) => pod.metadata.labels?.[key] === value)) fullyLabeled++;
    if (isPodReady(pod)) ready++;
    if (isPodAvailable(pod, minReadySeconds, now)) available++;
  }
  const conditions = conditionsAfter(object, observed);
  return {
    replicas: activePods.length,
    ...(fullyLabeled > 0 && { fullyLabeledReplicas: fullyLabeled }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(terminatingPods !== undefined && { terminatingReplicas: terminatingPods }),
    observedGeneration: object.metadata.generation ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
}

function conditionsAfter(
  object: ReplicatedObject,
  { failure, activePods, now }: ObservedReplicas,
): NonNullable<ReplicaSetStatus['conditions']> {
  const conditions = object.status?.conditions ?? [];
  if (failure === undefined) return conditions.filter(({ type }) => type !== replicaFailure);
  if (conditions.some(({ type }) => type === replicaFailure)) return [...conditions];
  const missing = replicasOf(object) - activePods.length;
  const condition = {
    type: replicaFailure,
    status: 'True',
    lastTransitionTime: timeFromDate(new Date(now)),
    ...(missing !== 0 && { reason: missing > 0 ? 'FailedCreate' : 'FailedDelete' }),
    message: messageOf(failure),
  };
  return [...conditions, condition];
}

/** Whether the statuses are equal, so that no write is needed. Absent counts equal zero, except terminatingReplicas. */
export function isSameStatus(a: ReplicaSetStatus | undefined, b: ReplicaSetStatus): boolean {
  return (
    (a?.replicas ?? 0) === b.replicas &&
    (a?.fullyLabeledReplicas ?? 0) === (b.fullyLabeledReplicas ?? 0) &&
    (a?.readyReplicas ?? 0) === (b.readyReplicas ?? 0) &&
    (a?.availableReplicas ?? 0) === (b.availableReplicas ?? 0) &&
    a?.terminatingReplicas === b.terminatingReplicas &&
    (a?.observedGeneration ?? 0) === (b.observedGeneration ?? 0) &&
    semanticEqual(a?.conditions, b.conditions)
  );
}
