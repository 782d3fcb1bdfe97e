import type { Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject, OwnerReference } from '@coxswain/apimachinery/meta';
import type { ClientSet, SharedIndexInformer } from '@coxswain/client';
import { controlledBy, orphansIn } from '../ownership/controller-index.ts';
import { type Claimant, claimObjects } from '../ownership/owned-objects.ts';
import type { OwnWrites } from '../writes/own-writes.ts';

interface PodClaim extends Pick<Claimant<Pod>, 'matches' | 'canAdopt'> {
  readonly owner: KubernetesObject;
  /** `namespace/name` of the owner. */
  readonly key: string;
  readonly reference: OwnerReference;
  /** Must have the index of `addControllerIndex`. */
  readonly pods: SharedIndexInformer<Pod>;
  readonly clients: ClientSet;
  readonly ownWrites: OwnWrites;
}

/** Returns the owner's pods in all phases, after adopting and releasing pods. See `claimObjects`. */
export function claimPods({ owner, key, reference, pods, clients, ownWrites, ...claim }: PodClaim): Promise<Pod[]> {
  const { namespace = '', uid = '', deletionTimestamp } = owner.metadata ?? {};
  return claimObjects([...controlledBy(pods.indexer, uid), ...orphansIn(pods.indexer, namespace)], {
    ...claim,
    owner: { uid, reference, isBeingDeleted: deletionTimestamp !== undefined },
    patch: async ({ metadata: { name = '' } }, patch) => {
      const patched = await clients.core.v1.pods(namespace).patch(name, 'strategic-merge', patch);
      ownWrites.wrote(key, pods, patched.metadata.resourceVersion);
    },
  });
}
