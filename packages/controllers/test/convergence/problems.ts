import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { TestCluster } from '../test-cluster.ts';
import { problemsOfJobs } from './problems-of-jobs.ts';
import { problemsOfNetwork } from './problems-of-network.ts';
import { problemsOfPolicies } from './problems-of-policies.ts';
import { problemsOfWorkloads } from './problems-of-workloads.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

/** All that is not as the specs say it should be, once everything has come to rest. */
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

/** A volume that is in use goes when it is not any more. */
const isProtected = (finalizers: readonly string[] | undefined): boolean =>
  finalizers?.length === 1 && finalizers[0] === 'kubernetes.io/pv-protection';

/** Nothing is about to go, and nothing is left of what has gone. */
function problemsOfOwnership(snapshot: Snapshot): string[] {
  const all: readonly (readonly [string, readonly KubernetesObject[]])[] = Object.entries(snapshot);
  const uids = new Set(all.flatMap(([, objects]) => objects.map(({ metadata }) => metadata?.uid)));
  return all.flatMap(([kind, objects]) =>
    objects.flatMap(({ metadata = {} }) => {
      const name = `${kind} ${metadata.namespace}/${metadata.name}`;
      const gone = metadata.ownerReferences?.filter(({ uid }) => !uids.has(uid)) ?? [];
      return [
        ...(metadata.deletionTimestamp && !isProtected(metadata.finalizers)
          ? [`${name} does not go: ${metadata.finalizers}`]
          : []),
        ...gone.map((owner) => `${name} is left of ${owner.kind} ${owner.name}`),
      ];
    }),
  );
}
