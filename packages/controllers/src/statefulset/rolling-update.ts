import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { getScaledValueFromIntOrPercent } from '@coxswain/apimachinery/intstr';
import { replicasOf, revisionOf, startOrdinal } from './identity.ts';
import { isUnavailable, type Readiness, type Replica } from './replicas.ts';

/** Whether a pod with this ordinal is created from the template before the update. */
export function staysAtCurrentRevision(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const index = ordinal - startOrdinal(set);
  if (rollingUpdate) return index < (rollingUpdate.partition ?? 0);
  return type === 'RollingUpdate' && index < (set.status?.currentReplicas ?? 0);
}

/**
 * Returns the pods to delete now, so that they are created again from the new template: highest ordinals first, none below the
 * partition, and at most maxUnavailable at a time.
 *
 * A server without the `maxUnavailable` feature drops the field. Then pods are updated one at a time in strict order. A pod that
 * was just created counts as unavailable and is not deleted.
 */
export function podsToUpdate(
  set: StatefulSet,
  wanted: readonly Replica[],
  updateRevision: string,
  readiness: Readiness,
): Pod[] {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  const { partition = 0, maxUnavailable } = rollingUpdate ?? {};
  const candidates = wanted.slice(partition).toReversed();
  const isOutdated = (pod: Pod | undefined): pod is Pod =>
    pod !== undefined && revisionOf(pod) !== updateRevision && pod.metadata.deletionTimestamp === undefined;

  if (maxUnavailable === undefined) {
    const first = candidates.find(({ pod }) => isOutdated(pod) || isUnavailable(pod, readiness))?.pod;
    return isOutdated(first) ? [first] : [];
  }
  const most = Math.max(1, getScaledValueFromIntOrPercent(maxUnavailable, replicasOf(set), false));
  const unavailable = wanted.filter(({ pod }) => isUnavailable(pod, readiness)).length;
  const outdated = candidates.map(({ pod }) => pod).filter(isOutdated);
  return outdated.slice(0, Math.max(0, most - unavailable));
}
