import type { Pod } from '@coxswain/api/core/v1';
import type { ResourceClaim, ResourceClaimTemplate } from '@coxswain/api/resource/v1';
import { isPodTerminal } from '@coxswain/component-helpers';

/** On claims that were made by template: the pod's name for it. */
export const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name';

/** The keys of all templates that a pod names. */
export function templateKeysOf({ metadata, spec }: Pod): string[] {
  const names = (spec?.resourceClaims ?? []).flatMap(
    ({ resourceClaimTemplateName }) => resourceClaimTemplateName ?? [],
  );
  return [...new Set(names)].map((name) => `${metadata.namespace}/${name}`);
}

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
