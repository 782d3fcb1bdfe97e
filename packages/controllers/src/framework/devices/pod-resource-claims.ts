import type { Pod, PodResourceClaim } from '@coxswain/api/core/v1';
import type { ResourceClaim } from '@coxswain/api/resource/v1';
import { getControllerOfNoCopy } from '@coxswain/apimachinery/meta';

/** What a pod's reference to a claim stands for. */
export type ClaimLookup =
  /** The claim of that name; with `isGenerated` only if it was made for the pod. */
  | { readonly is: 'named'; readonly name: string; readonly isGenerated: boolean }
  /** It was found that none is needed. */
  | { readonly is: 'not needed' }
  /** It is still to be made. */
  | { readonly is: 'missing' }
  /** The pod says it in a way that nobody understands. */
  | { readonly is: 'unsupported' };

export function lookUpClaim({ status }: Pod, claim: PodResourceClaim): ClaimLookup {
  if (claim.resourceClaimName !== undefined) return { is: 'named', name: claim.resourceClaimName, isGenerated: false };
  if (claim.resourceClaimTemplateName === undefined) return { is: 'unsupported' };
  const known = status?.resourceClaimStatuses?.find(({ name }) => name === claim.name);
  if (!known) return { is: 'missing' };
  const { resourceClaimName: name } = known;
  return name === undefined ? { is: 'not needed' } : { is: 'named', name, isGenerated: true };
}

/** The keys of all claims that a pod is known to use. */
export function claimKeysOf(pod: Pod): string[] {
  const names = (pod.spec?.resourceClaims ?? []).flatMap((claim) => {
    const found = lookUpClaim(pod, claim);
    return found.is === 'named' ? [found.name] : [];
  });
  return [...new Set(names)].map((name) => `${pod.metadata.namespace}/${name}`);
}

/** Whether the claim was made for the pod. */
export const isClaimForPod = (claim: ResourceClaim, pod: Pod): boolean =>
  claim.metadata.namespace === pod.metadata.namespace && getControllerOfNoCopy(claim)?.uid === pod.metadata.uid;
