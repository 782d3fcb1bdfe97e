import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isPodAvailable, isPodReady, isPodTerminal } from '@coxswain/component-helpers';
import { ordinalOf, replicasOf, startOrdinal } from './identity.ts';

/** A pod that is wanted, whether or not there is one. */
export interface Replica {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** A set's pods, sorted out. */
export interface Replicas {
  /** Those that are wanted, in their order. */
  readonly wanted: readonly Replica[];
  /** Those that are too many, the highest number first. */
  readonly condemned: readonly Pod[];
}

export function sortOut(set: StatefulSet, pods: readonly Pod[]): Replicas {
  const start = startOrdinal(set);
  const count = replicasOf(set);
  const wanted: (Pod | undefined)[] = Array.from({ length: count });
  const condemned: Pod[] = [];
  for (const pod of pods) {
    const index = ordinalOf(pod) - start;
    if (index >= 0 && index < count) wanted[index] = pod;
    else if (index + start >= 0) condemned.push(pod);
  }
  condemned.sort((a, b) => ordinalOf(b) - ordinalOf(a));
  return { wanted: wanted.map((pod, index) => ({ ordinal: start + index, pod })), condemned };
}

/** What the readiness of pods is judged by. */
export interface Readiness {
  readonly minReadySeconds: number;
  readonly now: number;
}

/** Not there, about to go, or not ready for long enough. */
export const isUnavailable = (pod: Pod | undefined, { minReadySeconds, now }: Readiness): boolean =>
  !pod || !isPodAvailable(pod, minReadySeconds, now) || pod.metadata.deletionTimestamp !== undefined;

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isPodReady(pod);

const isHealthy = (pod: Pod, { minReadySeconds, now }: Readiness): boolean =>
  isRunningAndReady(pod) && isPodAvailable(pod, minReadySeconds, now);

export interface Step {
  /** To be done in this order. */
  readonly actions: readonly ('create' | 'delete' | 'createClaims' | 'repair')[];
  /** Whether a set that goes by the order of its pods must wait here for something to happen. */
  readonly blocks: boolean;
}

export interface StepConditions extends Readiness {
  /** One pod after the other, each only when all before it are available. */
  readonly isOrdered: boolean;
  /** Whether claims of an earlier pod have yet to go. */
  hasStaleClaim(ordinal: number): boolean;
  /** Whether the pod's name, labels, volumes and claims are as they should be. */
  isInOrder(pod: Pod): boolean;
}

/** What is to be done about a pod that is wanted. */
export function stepFor({ ordinal, pod }: Replica, conditions: StepConditions): Step {
  if (!pod) return { actions: conditions.hasStaleClaim(ordinal) ? [] : ['create'], blocks: true };
  // However a pod has ended, another takes its place; it is made when this one is gone for good.
  if (isPodTerminal(pod)) return { actions: pod.metadata.deletionTimestamp ? [] : ['delete'], blocks: true };
  const claims: Step['actions'] = pod.status?.phase === 'Pending' ? ['createClaims'] : [];
  const { isOrdered } = conditions;
  if (isOrdered && (pod.metadata.deletionTimestamp || !isHealthy(pod, conditions)))
    return { actions: claims, blocks: true };
  return { actions: conditions.isInOrder(pod) ? claims : [...claims, 'repair'], blocks: false };
}

/**
 * Which of the condemned pods is to be deleted now, where one goes after the other: the highest, as long as all are
 * available, or if it is the only one that is not. Undefined while there is something to wait for.
 */
export function nextToCondemn({ wanted, condemned }: Replicas, readiness: Readiness): Pod | undefined {
  const [highest] = condemned;
  if (!highest || highest.metadata.deletionTimestamp) return undefined;
  if (isHealthy(highest, readiness)) return highest;
  const inOrder = [...wanted.map(({ pod }) => pod), ...condemned.toReversed()];
  return inOrder.find((pod) => isUnavailable(pod, readiness)) === highest ? highest : undefined;
}
