import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isPodAvailable, isPodReady, isPodTerminal } from '@coxswain/component-helpers';
import { ordinalOf, replicasOf, startOrdinal } from './identity.ts';

/** An ordinal that the set needs, with its pod if it exists. */
export interface Replica {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** The pods of a set by whether they are needed. */
export interface Replicas {
  /** The needed pods by ascending ordinal. */
  readonly wanted: readonly Replica[];
  /** The surplus pods by descending ordinal. */
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

/** The inputs for the availability of pods. */
export interface Readiness {
  readonly minReadySeconds: number;
  readonly now: number;
}

/** Whether the pod is missing, terminating, or not ready for minReadySeconds. */
export const isUnavailable = (pod: Pod | undefined, { minReadySeconds, now }: Readiness): boolean =>
  !pod || !isPodAvailable(pod, minReadySeconds, now) || pod.metadata.deletionTimestamp !== undefined;

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isPodReady(pod);

const isHealthy = (pod: Pod, { minReadySeconds, now }: Readiness): boolean =>
  isRunningAndReady(pod) && isPodAvailable(pod, minReadySeconds, now);

export interface Step {
  /** In the order in which they must be carried out. */
  readonly actions: readonly ('create' | 'delete' | 'createClaims' | 'repair')[];
  /** With ordered pod management: whether later pods have to wait for this one. */
  readonly blocks: boolean;
}

export interface StepConditions extends Readiness {
  /** Whether pods are managed one after the other, each only when all pods before it are available. */
  readonly isOrdered: boolean;
  /** Whether claims of an earlier pod have not been deleted yet. */
  hasStaleClaim(ordinal: number): boolean;
  /** Whether the pod's name, labels, volumes and claims are right. */
  isInOrder(pod: Pod): boolean;
}

/** Returns the next actions for a needed pod. */
export function stepFor({ ordinal, pod }: Replica, conditions: StepConditions): Step {
  if (!pod) return { actions: conditions.hasStaleClaim(ordinal) ? [] : ['create'], blocks: true };
  // A terminated pod is replaced, whether it failed or succeeded. The new one is created when the old one no longer exists.
  if (isPodTerminal(pod)) return { actions: pod.metadata.deletionTimestamp ? [] : ['delete'], blocks: true };
  const claims: Step['actions'] = pod.status?.phase === 'Pending' ? ['createClaims'] : [];
  const { isOrdered } = conditions;
  if (isOrdered && (pod.metadata.deletionTimestamp || !isHealthy(pod, conditions)))
    return { actions: claims, blocks: true };
  return { actions: conditions.isInOrder(pod) ? claims : [...claims, 'repair'], blocks: false };
}

/**
 * With ordered pod management, returns the surplus pod to delete now: the one with the highest ordinal, if it is available or no
 * other pod is unavailable. Undefined while the controller has to wait.
 */
export function nextToCondemn({ wanted, condemned }: Replicas, readiness: Readiness): Pod | undefined {
  const [highest] = condemned;
  if (!highest || highest.metadata.deletionTimestamp) return undefined;
  if (isHealthy(highest, readiness)) return highest;
  const inOrder = [...wanted.map(({ pod }) => pod), ...condemned.toReversed()];
  return inOrder.find((pod) => isUnavailable(pod, readiness)) === highest ? highest : undefined;
}
