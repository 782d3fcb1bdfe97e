import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import { maxReplicas } from './fenceposts.ts';
import { byAge, sizeOf } from './replica-sets.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';
export const rollbackToAnnotation = 'deprecated.deployment.rollback.to';

/** What is the deployment's or the set's alone, and not handed on from one to the other. */
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackToAnnotation,
]);

/** About a hundred revisions. */
const maxHistoryLength = 2000;

type Annotations = Record<string, string>;

/** Zero for a set that has none, undefined when it is no number. Revisions are 64 bits wide, and some begin high. */
export function revisionOf({ metadata }: ReplicaSet): bigint | undefined {
  return parseRevision(metadata.annotations?.[revisionAnnotation] ?? '0');
}

/** Undefined for what is no whole number of 64 bits. */
export function parseRevision(text: string): bigint | undefined {
  if (!/^[-+]?\d{1,19}$/.test(text)) return undefined;
  const revision = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

export function maxRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map((set) => revisionOf(set) ?? 0n).reduce((max, revision) => (revision > max ? revision : max), 0n);
}

/** The revision before the newest; zero when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): bigint {
  const revisions = sets.map((set) => revisionOf(set) ?? 0n).sort((a, b) => (a < b ? 1 : -1));
  const [, last = 0n] = revisions;
  return last > 0n ? last : 0n;
}

/** Oldest revision first; by age where there is none, or the same. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionOf(a), revisionOf(b)];
  return first === undefined || second === undefined || first === second ? byAge(a, b) : first < second ? -1 : 1;
}

/** The annotations of a set that is about to be made. */
export const annotationsOfNewSet = (deployment: Deployment, revision: bigint): Annotations => ({
  ...handedOn(deployment.metadata.annotations),
  [revisionAnnotation]: String(revision),
  ...replicasAnnotations(deployment),
});

/**
 * The annotations of the set that has the deployment's template, with those of the deployment and at least this revision. A
 * set that had another revision is one that the deployment came back to: the earlier one goes into its history.
 */
export function annotationsOfCurrentSet(deployment: Deployment, set: ReplicaSet, revision: bigint): Annotations {
  const before = set.metadata.annotations ?? {};
  const annotations = { ...before, ...handedOn(deployment.metadata.annotations) };
  const old = before[revisionAnnotation];
  // Somebody has put there what is no number; it is left alone.
  const oldRevision = parseRevision(old || '0');
  if (oldRevision === undefined || oldRevision >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (old !== undefined) Object.assign(annotations, historyWith(before[historyAnnotation], old));
  return annotations;
}

/** As many of the latest revisions as there is room for. */
function historyWith(history: string | undefined, revision: string): Annotations {
  if (!history) return { [historyAnnotation]: revision };
  const revisions = [...history.split(','), revision];
  while (revisions.join(',').length > maxHistoryLength && revisions.length > 1) revisions.shift();
  return { [historyAnnotation]: revisions.join(',') };
}

/** What the deployment's annotations are after it went back to the set's template: those that it had then. */
export const annotationsAfterRollback = (deployment: Deployment, set: ReplicaSet): Annotations => ({
  ...filtered(deployment.metadata.annotations, (key) => notCopied.has(key)),
  ...handedOn(set.metadata.annotations),
});

/** They tell a later look whether the deployment's size was changed since. */
export const replicasAnnotations = (deployment: Deployment): Annotations => ({
  [desiredReplicasAnnotation]: String(sizeOf(deployment)),
  [maxReplicasAnnotation]: String(maxReplicas(deployment)),
});

const handedOn = (annotations: Annotations | undefined): Annotations =>
  filtered(annotations, (key) => !notCopied.has(key));

function filtered(annotations: Annotations | undefined, keep: (key: string) => boolean): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => keep(key)));
}

/** How many replicas an annotation speaks of; undefined when it is missing or no such number. */
export function replicasAnnotation({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value < 2 ** 31 ? value : undefined;
}
