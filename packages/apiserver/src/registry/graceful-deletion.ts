import type { Pod } from '@coxswain/api/core/v1';

/**
 * How long a pod may take to end when it is deleted now: what the request says or else the pod itself, and no time at
 * all for one that never came to a node or has ended already.
 */
export function podGracePeriodSeconds({ spec, status }: Pod, options: { gracePeriodSeconds?: number }): number {
  const hasEnded = status?.phase === 'Failed' || status?.phase === 'Succeeded';
  if (!spec?.nodeName || hasEnded) return 0;
  const seconds = options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** What becomes of an object's dependents when the request does not say. */
export type GarbageCollectionPolicy =
  /** They are deleted after it. */
  | 'Delete'
  | 'Orphan'
  /** It has none: finalizers for it are never set. */
  | 'Unsupported';

/** By group version and resource; all others delete their dependents. The two that do not are as old as their API. */
const garbageCollectionPolicies: ReadonlyMap<string, GarbageCollectionPolicy> = new Map([
  ['v1/replicationcontrollers', 'Orphan'],
  ['batch/v1/jobs', 'Orphan'],
  ['v1/events', 'Unsupported'],
  ['events.k8s.io/v1/events', 'Unsupported'],
]);

/** `groupVersion` is that of the request: `v1`, `batch/v1`. */
export function defaultGarbageCollectionPolicy(groupVersion: string, resource: string): GarbageCollectionPolicy {
  return garbageCollectionPolicies.get(`${groupVersion}/${resource}`) ?? 'Delete';
}

/** What a client is warned of that deletes a job, or all of them, and says nothing about its pods. */
export const orphanedPodsWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';
