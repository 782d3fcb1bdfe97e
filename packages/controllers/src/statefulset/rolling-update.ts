import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { getScaledValueFromIntOrPercent } from '@coxswain/apimachinery/intstr';
import { replicasOf, revisionOf, startOrdinal } from './identity.ts';
import { isUnavailable, type Readiness, type Replica } from './replicas.ts';

/** Whether a pod of that number is made from the template that the set had before an update. */
export function staysAtCurrentRevision(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const index = ordinal - startOrdinal(set);
  if (rollingUpdate) return index < (rollingUpdate.partition ?? 0);
  return type === 'RollingUpdate' && index < (set.status?.currentReplicas ?? 0);
}

/**
 * Which pods are to be deleted now, so that they come back from the set's new template: the highest first, none below the
 * partition, and no more at a time than may be unavailable.
 *
 * A server that knows nothing of `maxUnavailable` takes it away: then it is one at a time, in strict order. A pod that was
 * only just made counts as unavailable and is not deleted.
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
