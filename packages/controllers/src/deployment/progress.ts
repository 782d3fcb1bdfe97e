import type { Deployment, DeploymentStatus, ReplicaSet } from '@coxswain/api/apps/v1';
import { type Conditions, conditionOf, type Finding, foundAt, withCondition, withoutCondition } from './conditions.ts';
import { isComplete, withConditions } from './status.ts';

const noDeadline = 2 ** 31 - 1;

/** Returns the progress deadline in milliseconds, or undefined when there is none. */
export function progressDeadlineMs({ spec }: Deployment): number | undefined {
  const { progressDeadlineSeconds: seconds } = spec ?? {};
  return seconds === undefined || seconds === noDeadline ? undefined : seconds * 1000;
}

export const newReplicaSetCreated = (name: string): Finding =>
  progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);

export const foundNewReplicaSet = (name: string): Finding =>
  progressing('True', 'FoundNewReplicaSet', `Found new replica set "${name}"`);

export const replicaSetCreateError = (message: string): Finding =>
  progressing('False', 'ReplicaSetCreateError', message);

const paused = progressing('Unknown', 'DeploymentPaused', 'Deployment is paused');
const resumed = progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed');

function progressing(status: Finding['status'], reason: string, message: string): Finding {
  return { type: 'Progressing', status, reason, message };
}

/**
 * Returns the condition to set when a deployment was paused or resumed, because the time of a pause does not count towards the
 * deadline. Returns undefined without such a change, and when the deadline was already exceeded.
 */
export function pauseFinding(deployment: Deployment): Finding | undefined {
  if (progressDeadlineMs(deployment) === undefined) return undefined;
  const reason = conditionOf(deployment.status?.conditions, 'Progressing')?.reason;
  if (reason === 'ProgressDeadlineExceeded') return undefined;
  const isNoted = reason === paused.reason;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === isNoted) return undefined;
  return isPaused ? paused : resumed;
}

/** Returns the status of a deployment during a rollout, with its Progressing and ReplicaFailure conditions. */
export function rolloutStatus(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
  { status, now, time }: { readonly status: DeploymentStatus; readonly now: number; readonly time: string },
): DeploymentStatus {
  let conditions: Conditions = status.conditions ?? [];
  if (progressDeadlineMs(deployment) === undefined) conditions = withoutCondition(conditions, 'Progressing');
  else if (!wasCompleteBefore(deployment, status)) {
    conditions = conditionsOfProgress(deployment, newSet, { status, conditions, now, time });
  }
  const failure = replicaFailure(newSet, oldSets);
  return withConditions(
    status,
    failure ? withCondition(conditions, failure) : withoutCondition(conditions, 'ReplicaFailure'),
  );
}

/** Whether the rollout was complete before. Pods that are created and deleted later are not progress of a rollout. */
function wasCompleteBefore(deployment: Deployment, status: DeploymentStatus): boolean {
  const before = conditionOf(deployment.status?.conditions, 'Progressing');
  return before?.reason === 'NewReplicaSetAvailable' && (status.replicas ?? 0) === (status.updatedReplicas ?? 0);
}

function conditionsOfProgress(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  { status, conditions, now, time }: { status: DeploymentStatus; conditions: Conditions; now: number; time: string },
): Conditions {
  const who = newSet ? `ReplicaSet "${newSet.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const finding = progressing('True', 'NewReplicaSetAvailable', `${who} has successfully progressed.`);
    return withCondition(conditions, foundAt(finding, time));
  }
  if (hasProgressed(deployment.status, status)) {
    const finding = progressing('True', 'ReplicaSetUpdated', `${who} is progressing.`);
    const before = conditionOf(deployment.status?.conditions, 'Progressing');
    const { lastTransitionTime } = before?.status === 'True' ? before : {};
    // Replaces the condition even if it is unchanged: the deadline counts from lastUpdateTime.
    return [
      ...withoutCondition(conditions, 'Progressing'),
      { ...foundAt(finding, time), ...(lastTransitionTime !== undefined && { lastTransitionTime }) },
    ];
  }
  if (hasTimedOut(deployment, conditions, now)) {
    const finding = progressing('False', 'ProgressDeadlineExceeded', `${who} has timed out progressing.`);
    return withCondition(conditions, foundAt(finding, time));
  }
  return conditions;
}

/** Whether there are more updated pods, fewer old ones, or more ready or available ones. */
export function hasProgressed(before: DeploymentStatus = {}, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasTimedOut(deployment: Deployment, conditions: Conditions, now: number): boolean {
  const condition = conditionOf(conditions, 'Progressing');
  // The condition is from the previous, complete rollout. The start of this one has not been recorded yet.
  if (!condition || condition.reason === 'NewReplicaSetAvailable') return false;
  return condition.reason === 'ProgressDeadlineExceeded' || deadlineOf(deployment, condition.lastUpdateTime) < now;
}

const deadlineOf = (deployment: Deployment, lastUpdateTime: string | undefined): number =>
  Date.parse(lastUpdateTime ?? '') + (progressDeadlineMs(deployment) ?? Number.POSITIVE_INFINITY);

/** Returns when to check the deadline, or undefined when there is nothing to wait for. */
export function progressCheckInMs(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const condition = conditionOf(deployment.status?.conditions, 'Progressing');
  if (!condition || progressDeadlineMs(deployment) === undefined) return undefined;
  if (isComplete(deployment, status)) return undefined;
  // Differs from upstream: a complete rollout cannot exceed its deadline any more, so there is no check.
  if (condition.reason === 'ProgressDeadlineExceeded' || condition.reason === 'NewReplicaSetAvailable')
    return undefined;
  // One second more: timestamps are in whole seconds, and the deadline must have passed at the check.
  return Math.max(deadlineOf(deployment, condition.lastUpdateTime) - now, 0) + 1000;
}

/** Returns the ReplicaFailure condition of the new ReplicaSet or else of an old one, as a deployment condition. */
function replicaFailure(
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): Conditions[number] | undefined {
  for (const set of newSet ? [newSet, ...oldSets] : oldSets) {
    const condition = set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (!condition) continue;
    const { lastTransitionTime } = condition;
    return { ...condition, ...(lastTransitionTime !== undefined && { lastUpdateTime: lastTransitionTime }) };
  }
  return undefined;
}
