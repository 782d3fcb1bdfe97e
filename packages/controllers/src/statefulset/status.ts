import type { StatefulSet, StatefulSetStatus } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isPodAvailable } from '@coxswain/component-helpers';
import { replicasOf, revisionOf } from './identity.ts';
import { isRunningAndReady, type Readiness } from './replicas.ts';

interface SetRevisions {
  /** Names of ControllerRevisions: the one before the update, and the one of the set's template. */
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
}

interface StatusInput extends Readiness {
  readonly pods: readonly Pod[];
  readonly revisions: SetRevisions;
  /** The number of pods that were deleted in this reconcile because of an update. */
  readonly deletedForUpdate: number;
}

/** Returns the new status. When all pods are of the update revision and ready, that becomes the current revision. */
export function statefulSetStatus(set: StatefulSet, input: StatusInput): StatefulSetStatus {
  const { pods, revisions, minReadySeconds, now, deletedForUpdate } = input;
  const ready = pods.filter(isRunningAndReady);
  const lasting = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ofRevision = (name: string): number => lasting.filter((pod) => revisionOf(pod) === name).length;
  const updatedReplicas = ofRevision(revisions.update);
  const replicas = replicasOf(set);
  const isComplete =
    set.spec?.updateStrategy?.type === 'RollingUpdate' &&
    [updatedReplicas, ready.length, pods.length].every((count) => count === replicas);
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length,
    // Differs from upstream: never below zero, which the server rejects. Upstream's value is negative when pods of older
    // revisions are deleted.
    currentReplicas: isComplete ? updatedReplicas : Math.max(0, ofRevision(revisions.current) - deletedForUpdate),
    updatedReplicas,
    currentRevision: isComplete ? revisions.update : revisions.current,
    updateRevision: revisions.update,
    collisionCount: revisions.collisionCount,
  };
}

const counts = ['replicas', 'readyReplicas', 'availableReplicas', 'currentReplicas', 'updatedReplicas'] as const;

/** Whether the set's status has to be written because it differs from `next`. */
export function isOutdated({ status }: StatefulSet, next: StatefulSetStatus): boolean {
  return (
    (next.observedGeneration ?? 0) > (status?.observedGeneration ?? 0) ||
    counts.some((count) => (next[count] ?? 0) !== (status?.[count] ?? 0)) ||
    next.currentRevision !== status?.currentRevision ||
    next.updateRevision !== status?.updateRevision
  );
}
