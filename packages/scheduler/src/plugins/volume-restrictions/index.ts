import type { PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';
import { Action } from '../../framework/cluster-event.ts';
import { type CycleState, StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status, skip } from '../../framework/status.ts';
import { namedClaims } from '../../volumes/claims.ts';
import { lookupFailure } from '../../volumes/lookup-failure.ts';
import { exclusiveVolumes, usesDiskOf } from './disk-conflict.ts';

const name = 'VolumeRestrictions';

/** The volumes that the pod must not share. */
interface WantedVolumes {
  readonly disks: readonly Volume[];
  /** The names of its claims with access mode ReadWriteOncePod. */
  readonly claims: ReadonlySet<string>;
  /** The number of these claims that other pods use. */
  readonly claimsInUse: number;
}

const wanted = new StateKey<WantedVolumes>(`PreFilter${name}`);

/** Rejects nodes whose pods use the pod's disks, and all nodes while another pod uses one of its ReadWriteOncePod claims. */
export const volumeRestrictions: PluginDefinition = {
  name,
  create: (_, handle) => {
    const claimLister = handle.informers.core.v1.persistentVolumeClaims.lister;
    const diskConflict = Status.unschedulable('node(s) had no available disk');
    const claimConflict = Status.unschedulable(
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
    );
    return {
      name,
      preFilter: (state, { pod }) => {
        if (!pod.spec?.volumes) return skip;
        const { namespace = '' } = pod.metadata;
        const disks = exclusiveVolumes(pod);
        let claims: ReadonlySet<string>;
        try {
          claims = new Set(
            namedClaims(pod).filter((claim) => isForOnePod(claimLister.namespace(namespace).get(claim))),
          );
        } catch (error) {
          return lookupFailure(error);
        }
        const snapshot = handle.snapshot();
        const claimsInUse = [...claims].filter((claim) => snapshot.isClaimUsed(`${namespace}/${claim}`)).length;
        if (disks.length === 0 && claimsInUse === 0) return skip;
        state.set(wanted, { disks, claims, claimsInUse });
        return undefined;
      },
      addPod: (state, pod, added) => count(state, pod, added, 1),
      removePod: (state, pod, removed) => count(state, pod, removed, -1),
      filter: (state, _pod, { pods }) => {
        const { disks, claimsInUse } = state.get(wanted);
        if (disks.length > 0) for (const { pod } of pods) if (usesDiskOf(pod, disks)) return diskConflict;
        return claimsInUse > 0 ? claimConflict : undefined;
      },
      eventsToRegister: () => [
        {
          event: { resource: 'Pod', action: Action.Delete },
          hint: hintAbout<Pod>((pod, deleted) => queueIf(!!deleted && freesVolumeOf(pod, deleted))),
        },
        { event: { resource: 'Node', action: Action.Add } },
        {
          event: { resource: 'PersistentVolumeClaim', action: Action.Add },
          hint: hintAbout<PersistentVolumeClaim>((pod, _before, claim) =>
            queueIf(!!claim && pod.metadata.namespace === claim.metadata.namespace && names(pod, claim)),
          ),
        },
      ],
    };
  },
};

const isForOnePod = ({ spec }: PersistentVolumeClaim): boolean =>
  spec?.accessModes?.includes('ReadWriteOncePod') ?? false;

const names = (pod: Pod, { metadata }: PersistentVolumeClaim): boolean =>
  namedClaims(pod).includes(metadata.name ?? '');

function count(state: CycleState, { pod }: PodInfo, { pod: other }: PodInfo, sign: 1 | -1): undefined {
  const before = state.get(wanted);
  // Differs from upstream: claims of the same name in other namespaces are different claims.
  if (before.claims.size === 0 || pod.metadata.namespace !== other.metadata.namespace) return;
  const uses = namedClaims(other).filter((claim) => before.claims.has(claim)).length;
  if (uses > 0) state.set(wanted, { ...before, claimsInUse: before.claimsInUse + sign * uses });
}

function freesVolumeOf(pod: Pod, deleted: Pod): boolean {
  if (pod.metadata.namespace !== deleted.metadata.namespace) return false;
  const claims = new Set(namedClaims(pod));
  // The claim's access mode is not looked up: an unnecessary retry is cheaper.
  return usesDiskOf(deleted, exclusiveVolumes(pod)) || namedClaims(deleted).some((claim) => claims.has(claim));
}
