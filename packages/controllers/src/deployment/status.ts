import type { Deployment, DeploymentStatus, ReplicaSet } from '@coxswain/api/apps/v1';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { type Conditions, type Finding, foundAt, withCondition } from './conditions.ts';
import { minAvailable } from './fenceposts.ts';
import { sizeOf, totalAvailable, totalReady, totalReplicas, totalSize, totalTerminating } from './replica-sets.ts';

const isAvailable: Finding = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const isUnavailable: Finding = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

/** Returns the status computed from the ReplicaSets. `time` is the timestamp of changed conditions. */
export function deploymentStatus(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
  time: string,
): DeploymentStatus {
  const sets = newSet ? [...oldSets, newSet] : oldSets;
  const available = totalAvailable(sets);
  const availability = available >= minAvailable(deployment) ? isAvailable : isUnavailable;
  const conditions = withCondition(deployment.status?.conditions ?? [], foundAt(availability, time));
  const { collisionCount } = deployment.status ?? {};
  const terminating = totalTerminating(sets);
  return {
    ...nonZero({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: totalReplicas(sets),
      updatedReplicas: newSet?.status?.replicas ?? 0,
      readyReplicas: totalReady(sets),
      availableReplicas: available,
      unavailableReplicas: Math.max(totalSize(sets) - available, 0),
    }),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: [...conditions],
  };
}

export const withConditions = (status: DeploymentStatus, conditions: Conditions): DeploymentStatus => ({
  ...status,
  conditions: [...conditions],
});

/** Whether the rollout is complete: all pods are updated and available, and there are no old ones. */
export function isComplete(deployment: Deployment, status: DeploymentStatus = {}): boolean {
  const size = sizeOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === size &&
    (status.replicas ?? 0) === size &&
    (status.availableReplicas ?? 0) === size &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Whether the statuses are equal, so that no write is needed. */
export const isSameStatus = (a: DeploymentStatus | undefined, b: DeploymentStatus): boolean =>
  semanticEqual(nonZero(a ?? {}), nonZero(b)) && a?.terminatingReplicas === b.terminatingReplicas;

/** The server omits counts that are zero. */
function nonZero(status: DeploymentStatus): DeploymentStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0));
}
