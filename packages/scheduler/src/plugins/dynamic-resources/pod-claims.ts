import type { Pod, PodResourceClaim } from '@coxswain/api/core/v1';
import type { ResourceClaim } from '@coxswain/api/resource/v1';

/** Thrown when a pod cannot be scheduled until another component has acted on its claims. */
export class ClaimsNotReady extends Error {}

/** Returns the claims of a pod, named or generated. Throws ClaimsNotReady. */
export function podResourceClaims(pod: Pod, find: (key: string) => ResourceClaim | undefined): ResourceClaim[] {
  const claims: ResourceClaim[] = [];
  for (const podClaim of pod.spec?.resourceClaims ?? []) {
    const claimName = claimNameOf(pod, podClaim);
    // The pod's status says that no claim is needed.
    if (claimName === undefined) continue;
    const key = `${pod.metadata.namespace}/${claimName}`;
    const claim = find(key);
    if (!claim) throw new ClaimsNotReady(`could not find ResourceClaim "${key}"`);
    if (claim.metadata.deletionTimestamp) throw new ClaimsNotReady(`resourceclaim "${claimName}" is being deleted`);
    if (podClaim.resourceClaimName === undefined && !isControlledBy(claim, pod)) {
      throw new ClaimsNotReady(`ResourceClaim ${key} was not created for Pod ${nameOf(pod)} (Pod is not owner)`);
    }
    claims.push(claim);
  }
  return claims;
}

export const isReservedFor = ({ status }: ResourceClaim, { metadata }: Pod): boolean =>
  status?.reservedFor?.some(({ uid }) => uid === metadata.uid) ?? false;

export const keyOfClaim = ({ metadata }: ResourceClaim): string => `${metadata.namespace}/${metadata.name}`;

export const nameOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

const isControlledBy = ({ metadata }: ResourceClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === pod.metadata.uid) ?? false;

function claimNameOf(pod: Pod, claim: PodResourceClaim): string | undefined {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  if (resourceClaimName !== undefined) return resourceClaimName;
  if (resourceClaimTemplateName === undefined) {
    throw new ClaimsNotReady(
      `pod "${nameOf(pod)}", spec.resourceClaim "${name}": none of the supported fields are set`,
    );
  }
  const made = pod.status?.resourceClaimStatuses?.find((status) => status.name === name);
  if (!made) throw new ClaimsNotReady(`pod "${nameOf(pod)}": ResourceClaim not created yet`);
  return made.resourceClaimName;
}
