import type { Pod } from '@coxswain/api/core/v1';
import type { ResourceClaim, ResourceClaimTemplate } from '@coxswain/api/resource/v1';
import { isPodTerminal } from '@coxswain/component-helpers';

/** On generated claims: the name of the entry in the pod's `spec.resourceClaims`. */
export const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name';

/** Returns the keys of all templates that the pod references. */
export function templateKeysOf({ metadata, spec }: Pod): string[] {
  const names = (spec?.resourceClaims ?? []).flatMap(
    ({ resourceClaimTemplateName }) => resourceClaimTemplateName ?? [],
  );
  return [...new Set(names)].map((name) => `${metadata.namespace}/${name}`);
}

/** Returns the pod that the claim was generated for, or undefined for a claim created by a user. */
export function owningPod({ metadata }: ResourceClaim): { readonly name: string; readonly uid: string } | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, controller }) => controller && apiVersion === 'v1' && kind === 'Pod',
  );
}

/** Whether the pod no longer uses its claims: it has terminated, or it is being deleted without having been scheduled. */
export const isPodDone = (pod: Pod): boolean =>
  isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName);

/** The maximum length of a generateName prefix that the server does not truncate. */
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

/** Combines both names, shortened in proportion to their lengths if necessary. */
function generatedBase(podName: string, claimName: string): string {
  const base = `${podName}-${claimName}-`;
  if (base.length <= longestBase) return base;
  const shortened = (name: string): string => name.slice(0, Math.floor((name.length * longestBase) / base.length));
  return `${shortened(podName)}-${shortened(claimName)}`;
}
