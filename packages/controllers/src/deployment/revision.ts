import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import { maxReplicas } from './fenceposts.ts';
import { byAge, sizeOf } from './replica-sets.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';
export const rollbackToAnnotation = 'deprecated.deployment.rollback.to';

/** Annotations that are not copied between the deployment and its ReplicaSets. */
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackToAnnotation,
]);

/** In characters: about a hundred revisions. */
const maxHistoryLength = 2000;

type Annotations = Record<string, string>;

/**
 * Returns the revision of a ReplicaSet: zero without the annotation, undefined when it is not a number. A bigint, because
 * revisions are int64 and may exceed 2^53.
 */
export function revisionOf({ metadata }: ReplicaSet): bigint | undefined {
  return parseRevision(metadata.annotations?.[revisionAnnotation] ?? '0');
}

/** Returns undefined for a text that is not a 64-bit integer. */
export function parseRevision(text: string): bigint | undefined {
  if (!/^[-+]?\d{1,19}$/.test(text)) return undefined;
  const revision = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

export function maxRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map((set) => revisionOf(set) ?? 0n).reduce((max, revision) => (revision > max ? revision : max), 0n);
}

/** Returns the second highest revision, or zero when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): bigint {
  const revisions = sets.map((set) => revisionOf(set) ?? 0n).sort((a, b) => (a < b ? 1 : -1));
  const [, last = 0n] = revisions;
  return last > 0n ? last : 0n;
}

/** Compares by revision, lowest first. By age when they are equal or one is not a number. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionOf(a), revisionOf(b)];
  return first === undefined || second === undefined || first === second ? byAge(a, b) : first < second ? -1 : 1;
}

/** Returns the annotations of a ReplicaSet to be created. */
export const annotationsOfNewSet = (deployment: Deployment, revision: bigint): Annotations => ({
  ...handedOn(deployment.metadata.annotations),
  [revisionAnnotation]: String(revision),
  ...replicasAnnotations(deployment),
});

/**
 * Returns the annotations of the ReplicaSet with the deployment's template: those of the deployment, and at least this revision.
 * If the ReplicaSet has a lower revision, the deployment was rolled back to it, and the old revision is appended to its history.
 */
export function annotationsOfCurrentSet(deployment: Deployment, set: ReplicaSet, revision: bigint): Annotations {
  const before = set.metadata.annotations ?? {};
  const annotations = { ...before, ...handedOn(deployment.metadata.annotations) };
  const old = before[revisionAnnotation];
  // A revision that is not a number was set by a user and is kept.
  const oldRevision = parseRevision(old || '0');
  if (oldRevision === undefined || oldRevision >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (old !== undefined) Object.assign(annotations, historyWith(before[historyAnnotation], old));
  return annotations;
}

/** Appends the revision to the history, and drops the oldest ones beyond the maximum length. */
function historyWith(history: string | undefined, revision: string): Annotations {
  if (!history) return { [historyAnnotation]: revision };
  const revisions = [...history.split(','), revision];
  while (revisions.join(',').length > maxHistoryLength && revisions.length > 1) revisions.shift();
  return { [historyAnnotation]: revisions.join(',') };
}

/** Returns the deployment's annotations after a rollback: those of the ReplicaSet, which were copied from the deployment earlier. */
export const annotationsAfterRollback = (deployment: Deployment, set: ReplicaSet): Annotations => ({
  ...filtered(deployment.metadata.annotations, (key) => notCopied.has(key)),
  ...handedOn(set.metadata.annotations),
});

/** Annotations that record the deployment's size, so that a later change of it is detected. */
export const replicasAnnotations = (deployment: Deployment): Annotations => ({
  [desiredReplicasAnnotation]: String(sizeOf(deployment)),
  [maxReplicasAnnotation]: String(maxReplicas(deployment)),
});

const handedOn = (annotations: Annotations | undefined): Annotations =>
  filtered(annotations, (key) => !notCopied.has(key));

function filtered(annotations: Annotations | undefined, keep: (key: string) => boolean): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => keep(key)));
}

/** Returns the number in a replicas annotation, or undefined when it is missing or invalid. */
export function replicasAnnotation({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value < 2 ** 31 ? value : undefined;
}
