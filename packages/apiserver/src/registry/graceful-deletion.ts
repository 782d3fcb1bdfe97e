import type { Pod } from '@coxswain/api/core/v1';

/**
 * Returns the grace period of a pod's deletion: that of the request, or else of the pod. It is zero for pods that are not
 * scheduled or have terminated.
 */
export function podGracePeriodSeconds({ spec, status }: Pod, options: { gracePeriodSeconds?: number }): number {
  const hasEnded = status?.phase === 'Failed' || status?.phase === 'Succeeded';
  if (!spec?.nodeName || hasEnded) return 0;
  const seconds = options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** What happens to dependents when the request does not say. */
export type GarbageCollectionPolicy =
  /** They are deleted in the background. */
  | 'Delete'
  | 'Orphan'
  /** Objects have no dependents, so finalizers of the garbage collector are never set. */
  | 'Unsupported';

/** By group version and resource; `Delete` for all others. */
const garbageCollectionPolicies: ReadonlyMap<string, GarbageCollectionPolicy> = new Map([
  ['v1/replicationcontrollers', 'Orphan'],
  ['batch/v1/jobs', 'Orphan'],
  ['v1/events', 'Unsupported'],
  ['events.k8s.io/v1/events', 'Unsupported'],
]);

/** Returns the policy of a resource. `groupVersion` is that of the request, such as `batch/v1`. */
export function defaultGarbageCollectionPolicy(groupVersion: string, resource: string): GarbageCollectionPolicy {
  return garbageCollectionPolicies.get(`${groupVersion}/${resource}`) ?? 'Delete';
}

/** The warning for deletions of jobs without a propagation policy. */
export const orphanedPodsWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';
