import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { semanticEqual } from '@coxswain/apimachinery/validation';

/** Label that distinguishes the pods of a deployment's ReplicaSets. */
export const templateHashLabel = 'pod-template-hash';

/** The desired number of pods. The server sets it, so it is always present on its objects. */
export const sizeOf = (object: ReplicaSet | Deployment): number => object.spec?.replicas ?? 1;

export const isActive = (set: ReplicaSet): boolean => sizeOf(set) > 0;

/** The sum of the desired numbers of pods. */
export const totalSize = (sets: readonly ReplicaSet[]): number => sum(sets, sizeOf);
/** The sum of the actual numbers of pods. */
export const totalReplicas = (sets: readonly ReplicaSet[]): number => sum(sets, ({ status }) => status?.replicas);
export const totalReady = (sets: readonly ReplicaSet[]): number => sum(sets, ({ status }) => status?.readyReplicas);
export const totalAvailable = (sets: readonly ReplicaSet[]): number =>
  sum(sets, ({ status }) => status?.availableReplicas);

/**
 * Returns the number of terminating pods, or undefined when a ReplicaSet does not report it. A ReplicaSet that has not been
 * reconciled yet counts as zero.
 */
export function totalTerminating(sets: readonly ReplicaSet[]): number | undefined {
  let total = 0;
  for (const { status } of sets) {
    if (status?.terminatingReplicas === undefined && (status?.observedGeneration ?? 0) !== 0) return undefined;
    total += status?.terminatingReplicas ?? 0;
  }
  return total;
}

function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((total, set) => total + (count(set) ?? 0), 0);
}

type Order = (a: ReplicaSet, b: ReplicaSet) => number;

/** Oldest first, then by name. */
export const byAge: Order = (a, b) =>
  compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compare(a.metadata.name ?? '', b.metadata.name ?? '');

export const largestThenOldest: Order = (a, b) => sizeOf(b) - sizeOf(a) || byAge(a, b);
export const largestThenNewest: Order = (a, b) => sizeOf(b) - sizeOf(a) || byAge(b, a);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the oldest ReplicaSet with the deployment's template, or undefined. */
export const findNewSet = ({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined =>
  [...sets].sort(byAge).find((set) => isSameTemplate(set.spec?.template, spec?.template));

/** Whether the templates are equal apart from the pod-template-hash label, which only ReplicaSets have. */
export const isSameTemplate = (a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean =>
  semanticEqual(withoutHash(a), withoutHash(b));

/** Returns the template without the pod-template-hash label, as a deployment has it. */
export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { [templateHashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}
