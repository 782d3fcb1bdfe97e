import type { Pod } from '@coxswain/api/core/v1';
import type { ResourceClaim } from '@coxswain/api/resource/v1';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { Action, type ClusterEventWithHint } from '../../framework/cluster-event.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import type { ClaimTracker } from './claim-tracker.ts';
import { ClaimsNotReady, podResourceClaims } from './pod-claims.ts';

/** The events that may help a pod whose devices could not be allocated. */
export function claimEvents(tracker: ClaimTracker): readonly ClusterEventWithHint[] {
  /** Returns the pod's claims; undefined while they are not all usable. */
  const claimsOf = (pod: Pod): readonly ResourceClaim[] | undefined => {
    try {
      return podResourceClaims(pod, (key) => tracker.get(key));
    } catch (error) {
      if (error instanceof ClaimsNotReady) return undefined;
      throw error;
    }
  };
  return [
    {
      event: { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel | Action.UpdateNodeAllocatable },
    },
    {
      event: { resource: 'resource.k8s.io/ResourceClaim', action: Action.Add | Action.Update },
      hint: hintAbout<ResourceClaim>((pod, before, after) => {
        const claims = claimsOf(pod);
        if (!claims || !after) return 'Skip';
        // Devices were deallocated, of whichever claim.
        if (before?.status?.allocation && !after.status?.allocation) return 'Queue';
        if (!claims.some(({ metadata }) => metadata.uid === after.metadata.uid)) return 'Skip';
        return queueIf(!before || !jsonEquals(before.status, after.status));
      }),
    },
    {
      event: { resource: 'Pod', action: Action.UpdatePodGeneratedResourceClaim },
      hint: hintAbout<Pod>((pod, _before, after) =>
        queueIf(after !== undefined && after.metadata.uid === pod.metadata.uid && claimsOf(after) !== undefined),
      ),
    },
    { event: { resource: 'resource.k8s.io/DeviceClass', action: Action.Add | Action.Update } },
    { event: { resource: 'resource.k8s.io/ResourceSlice', action: Action.Add | Action.Update } },
  ];
}
