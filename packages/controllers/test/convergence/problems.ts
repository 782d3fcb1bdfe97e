import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { TestCluster } from '../test-cluster.ts';
import { problemsOfJobs } from './problems-of-jobs.ts';
import { problemsOfNetwork } from './problems-of-network.ts';
import { problemsOfPolicies } from './problems-of-policies.ts';
import { problemsOfWorkloads } from './problems-of-workloads.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

/** Returns all differences from the desired state. Must be called when the controllers are idle. */
export async function problemsOf({ clients }: TestCluster): Promise<string[]> {
  const snapshot = await snapshotOf(clients);
  return [
    ...problemsOfOwnership(snapshot),
    ...problemsOfWorkloads(snapshot),
    ...problemsOfJobs(snapshot),
    ...problemsOfNetwork(snapshot),
    ...problemsOfPolicies(snapshot),
  ];
}

/** Whether only the protection finalizer of a bound volume delays the deletion. */
const isProtected = (finalizers: readonly string[] | undefined): boolean =>
  finalizers?.length === 1 && finalizers[0] === 'kubernetes.io/pv-protection';

/** Checks that no object is being deleted, and that no object has a deleted owner. */
function problemsOfOwnership(snapshot: Snapshot): string[] {
  const all: readonly (readonly [string, readonly KubernetesObject[]])[] = Object.entries(snapshot);
  const uids = new Set(all.flatMap(([, objects]) => objects.map(({ metadata }) => metadata?.uid)));
  return all.flatMap(([kind, objects]) =>
    objects.flatMap(({ metadata = {} }) => {
      const name = `${kind} ${metadata.namespace}/${metadata.name}`;
      const gone = metadata.ownerReferences?.filter(({ uid }) => !uids.has(uid)) ?? [];
      return [
        ...(metadata.deletionTimestamp && !isProtected(metadata.finalizers)
          ? [`${name} is not deleted: ${metadata.finalizers}`]
          : []),
        ...gone.map((owner) => `${name} still exists without its owner ${owner.kind} ${owner.name}`),
      ];
    }),
  );
}
