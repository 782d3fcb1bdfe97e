import type { Pod, PodResourceClaim } from '@coxswain/api/core/v1';
import type { ResourceClaim, ResourceClaimTemplate } from '@coxswain/api/resource/v1';
import { getControllerOf } from '@coxswain/apimachinery/meta';
import { isPodTerminal } from '@coxswain/component-helpers';

/** On claims that were made by template: the pod's name for it. */
export const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name';

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

/** The keys of all templates that a pod names. */
export function templateKeysOf({ metadata, spec }: Pod): string[] {
  const names = (spec?.resourceClaims ?? []).flatMap(
    ({ resourceClaimTemplateName }) => resourceClaimTemplateName ?? [],
  );
  return [...new Set(names)].map((name) => `${metadata.namespace}/${name}`);
}

/** Whether the claim was made for the pod. */
export const isClaimForPod = (claim: ResourceClaim, pod: Pod): boolean =>
  claim.metadata.namespace === pod.metadata.namespace && getControllerOf(claim)?.uid === pod.metadata.uid;

/** The pod that a claim was made for; undefined when somebody made it by hand. */
export function owningPod({ metadata }: ResourceClaim): { readonly name: string; readonly uid: string } | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, controller }) => controller && apiVersion === 'v1' && kind === 'Pod',
  );
}

/** It has ended, or never got to a node and never will: it uses no claim any more. */
export const isPodDone = (pod: Pod): boolean =>
  isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName);

/** The space that a name has beside the random end that the server gives it. */
const longestBase = 57;

export function claimFromTemplate(pod: Pod, claimName: string, { spec }: ResourceClaimTemplate): ResourceClaim {
  const { name = '', uid = '' } = pod.metadata;
  const { annotations, labels } = spec.metadata ?? {};
  return {
    metadata: {
      generateName: generatedBase(name, claimName),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
      annotations: { ...annotations, [podClaimAnnotation]: claimName },
      ...(labels && { labels }),
    },
    spec: spec.spec,
  };
}

/** Both names, each shortened by the same measure when they are too long. */
function generatedBase(podName: string, claimName: string): string {
  const base = `${podName}-${claimName}-`;
  if (base.length <= longestBase) return base;
  const shortened = (name: string): string => name.slice(0, Math.floor((name.length * longestBase) / base.length));
  return `${shortened(podName)}-${shortened(claimName)}`;
}
