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

/** Zero for a set that has none, undefined when it is no number. */
export function revisionOf({ metadata }: ReplicaSet): number | undefined {
  return parseInteger(metadata.annotations?.[revisionAnnotation] ?? '0');
}

const parseInteger = (text: string): number | undefined => (/^[-+]?\d+$/.test(text) ? Number(text) : undefined);

export function maxRevision(sets: readonly ReplicaSet[]): number {
  return sets.reduce((max, set) => Math.max(max, revisionOf(set) ?? 0), 0);
}

/** The revision before the newest; zero when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): number {
  const revisions = sets.map((set) => revisionOf(set) ?? 0).sort((a, b) => b - a);
  return Math.max(revisions[1] ?? 0, 0);
}

/** Oldest revision first; by age where there is none, or the same. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionOf(a), revisionOf(b)];
  return first === undefined || second === undefined || first === second ? byAge(a, b) : first - second;
}

/** The annotations of a set that is about to be made. */
export const annotationsOfNewSet = (deployment: Deployment, revision: number): Annotations => ({
  ...handedOn(deployment.metadata.annotations),
  [revisionAnnotation]: String(revision),
  ...replicasAnnotations(deployment),
});

/**
 * The annotations of the set that has the deployment's template, with those of the deployment and at least this revision. A
 * set that had another revision is one that the deployment came back to: the earlier one goes into its history.
 */
export function annotationsOfCurrentSet(deployment: Deployment, set: ReplicaSet, revision: number): Annotations {
  const before = set.metadata.annotations ?? {};
  const annotations = { ...before, ...handedOn(deployment.metadata.annotations) };
  const old = before[revisionAnnotation];
  // Somebody has put there what is no number; it is left alone.
  const oldRevision = parseInteger(old || '0');
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

function filtered(annotations: Annotations = {}, keep: (key: string) => boolean): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => keep(key)));
}

/** How many replicas an annotation speaks of; undefined when it is missing or no such number. */
export function replicasAnnotation({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value < 2 ** 31 ? value : undefined;
}
