import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import type { StorageClass } from '@coxswain/api/storage/v1';
import type { SharedInformerFactory } from '@coxswain/client';
import { Action } from '../../framework/cluster-event.ts';
import { StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status, skip } from '../../framework/status.ts';
import { claimClass, namedClaims } from '../../volumes/claims.ts';
import { lookupFailure } from '../../volumes/lookup-failure.ts';
import { areSameTopologies, isReachable, type VolumeTopology, volumeTopologies } from './volume-topology.ts';

const name = 'VolumeZone';

const topologiesKey = new StateKey<readonly VolumeTopology[]>(`PreFilter${name}`);

/** Restricts pods to nodes in the zones and regions of their volumes. */
export const volumeZone: PluginDefinition = {
  name,
  create: (_, { informers }) => {
    const topologiesOf = topologyReader(informers);
    const rejected = Status.unresolvable('node(s) had no available volume zone');
    return {
      name,
      preFilter: (state, { pod }) => {
        const topologies = topologiesOf(pod);
        if (topologies instanceof Status) return topologies;
        if (topologies.length === 0) return skip;
        state.set(topologiesKey, topologies);
        return undefined;
      },
      filter: (state, _pod, { node }) => (node && !isReachable(state.get(topologiesKey), node) ? rejected : undefined),
      eventsToRegister: () => [
        {
          event: { resource: 'storage.k8s.io/StorageClass', action: Action.Add },
          hint: hintAbout<StorageClass>((_pod, _before, added) => queueIf(!!added && waitsForConsumer(added))),
        },
        { event: { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel } },
        {
          event: { resource: 'PersistentVolumeClaim', action: Action.Add | Action.Update },
          hint: hintAbout<PersistentVolumeClaim>((pod, _before, claim) =>
            queueIf(
              pod.metadata.namespace === claim?.metadata.namespace &&
                namedClaims(pod).includes(claim?.metadata.name ?? ''),
            ),
          ),
        },
        {
          event: { resource: 'PersistentVolume', action: Action.Add | Action.Update },
          hint: hintAbout<PersistentVolume>((_pod, before, after) =>
            queueIf(!before || !after || !areSameTopologies(volumeTopologies(before), volumeTopologies(after))),
          ),
        },
      ],
    };
  },
};

const waitsForConsumer = ({ volumeBindingMode }: StorageClass): boolean => volumeBindingMode === 'WaitForFirstConsumer';

/**
 * Returns a function that reads the topologies of the volumes bound to a pod's claims, or a status when the pod fits on
 * no node.
 */
function topologyReader({ core, storage }: SharedInformerFactory): (pod: Pod) => VolumeTopology[] | Status {
  const claims = core.v1.persistentVolumeClaims.lister;
  const volumes = core.v1.persistentVolumes.lister;
  const classes = storage.v1.storageClasses.lister;

  function ofClaim(claim: PersistentVolumeClaim): VolumeTopology[] | Status {
    const volumeName = claim.spec?.volumeName;
    if (volumeName) return volumeTopologies(volumes.get(volumeName));
    const className = claimClass(claim);
    if (!className) return Status.unresolvable('PersistentVolumeClaim had no pv name and storageClass name');
    const storageClass = classes.get(className);
    if (!storageClass.volumeBindingMode)
      return Status.unresolvable(`VolumeBindingMode not set for StorageClass "${className}"`);
    // Its volume will be provisioned for the pod's node.
    if (waitsForConsumer(storageClass)) return [];
    return Status.unresolvable('PersistentVolume had no name');
  }

  return (pod) => {
    const topologies: VolumeTopology[] = [];
    try {
      for (const claimName of namedClaims(pod)) {
        if (!claimName) return Status.unresolvable('PersistentVolumeClaim had no name');
        const found = ofClaim(claims.namespace(pod.metadata.namespace ?? '').get(claimName));
        if (found instanceof Status) return found;
        topologies.push(...found);
      }
    } catch (error) {
      return lookupFailure(error);
    }
    return topologies;
  };
}
