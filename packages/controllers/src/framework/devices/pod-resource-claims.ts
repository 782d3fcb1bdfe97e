import type { Pod, PodResourceClaim } from '@coxswain/api/core/v1';
import type { ResourceClaim } from '@coxswain/api/resource/v1';
import { getControllerOfNoCopy } from '@coxswain/apimachinery/meta';

/** The result of resolving a pod's `spec.resourceClaims` entry. */
export type ClaimLookup =
  /** The claim of that name. If `isGenerated`, it is used only if it was created for the pod. */
  | { readonly is: 'named'; readonly name: string; readonly isGenerated: boolean }
  /** The pod's status says that no claim was needed for this entry. */
  | { readonly is: 'not needed' }
  /** The claim has not been created from its template yet. */
  | { readonly is: 'missing' }
  /** The entry names neither a claim nor a template. */
  | { readonly is: 'unsupported' };

export function lookUpClaim({ status }: Pod, claim: PodResourceClaim): ClaimLookup {
  if (claim.resourceClaimName !== undefined) return { is: 'named', name: claim.resourceClaimName, isGenerated: false };
  if (claim.resourceClaimTemplateName === undefined) return { is: 'unsupported' };
  const known = status?.resourceClaimStatuses?.find(({ name }) => name === claim.name);
  if (!known) return { is: 'missing' };
  const { resourceClaimName: name } = known;
  return name === undefined ? { is: 'not needed' } : { is: 'named', name, isGenerated: true };
}

/** Returns the keys (`namespace/name`) of all claims that the pod uses, as far as their names are known. */
export function claimKeysOf(pod: Pod): string[] {
  const names = (pod.spec?.resourceClaims ?? []).flatMap((claim) => {
    const found = lookUpClaim(pod, claim);
    return found.is === 'named' ? [found.name] : [];
  });
  return [...new Set(names)].map((name) => `${pod.metadata.namespace}/${name}`);
}

/** Whether the claim was created for the pod: the pod is its controller. */
export const isClaimForPod = (claim: ResourceClaim, pod: Pod): boolean =>
  claim.metadata.namespace === pod.metadata.namespace && getControllerOfNoCopy(claim)?.uid === pod.metadata.uid;
