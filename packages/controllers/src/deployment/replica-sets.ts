import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { semanticEqual } from '@coxswain/apimachinery/validation';

/** The label that keeps the pods of a deployment's sets apart. */
export const templateHashLabel = 'pod-template-hash';

/** How many pods the set is to have; the server fills it in. */
export const sizeOf = (object: ReplicaSet | Deployment): number => object.spec?.replicas ?? 1;

export const isActive = (set: ReplicaSet): boolean => sizeOf(set) > 0;

/** The pods that the sets are to have, all together. */
export const totalSize = (sets: readonly ReplicaSet[]): number => sum(sets, sizeOf);
/** The pods that they have. */
export const totalReplicas = (sets: readonly ReplicaSet[]): number => sum(sets, ({ status }) => status?.replicas);
export const totalReady = (sets: readonly ReplicaSet[]): number => sum(sets, ({ status }) => status?.readyReplicas);
export const totalAvailable = (sets: readonly ReplicaSet[]): number =>
  sum(sets, ({ status }) => status?.availableReplicas);

/** The pods that are about to go; undefined when a set does not say how many. A set that nobody has looked at yet has none. */
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

/** Oldest first; by name where the age is the same. */
export const byAge: Order = (a, b) =>
  compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compare(a.metadata.name ?? '', b.metadata.name ?? '');

export const largestThenOldest: Order = (a, b) => sizeOf(b) - sizeOf(a) || byAge(a, b);
export const largestThenNewest: Order = (a, b) => sizeOf(b) - sizeOf(a) || byAge(b, a);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The oldest set that has the deployment's template; undefined when there is none yet. */
export const findNewSet = ({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined =>
  [...sets].sort(byAge).find((set) => isSameTemplate(set.spec?.template, spec?.template));

/** Whether both make the same pods. The label that only sets have does not count. */
export const isSameTemplate = (a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean =>
  semanticEqual(withoutHash(a), withoutHash(b));

/** The template as a deployment has it. */
export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { [templateHashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}
