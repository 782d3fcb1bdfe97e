import { semanticEqual } from '@coxswain/apimachinery';
import { samePodSpec } from '../../core/v1/pod/update/same-pod-spec.ts';
import { sameResources } from '../../core/v1/resources/resource-list.ts';
import type { PersistentVolumeClaim, PodSpec, PodTemplateSpec } from '../../generated/core/v1.ts';

const noSpec: PodSpec = { containers: [] };

/** Reports whether two templates are equal; quantities are compared by value. */
export const samePodTemplate = (a: PodTemplateSpec = {}, b: PodTemplateSpec = {}): boolean =>
  semanticEqual(a.metadata ?? {}, b.metadata ?? {}) && samePodSpec(a.spec ?? noSpec, b.spec ?? noSpec);

/** Compares specs of kinds that have a pod template and possibly volumeClaimTemplates; quantities are compared by value. */
export function sameWorkloadSpec<
  T extends { template?: PodTemplateSpec; volumeClaimTemplates?: PersistentVolumeClaim[] },
>({ template, volumeClaimTemplates = [], ...rest }: T, old: T): boolean {
  const { template: oldTemplate, volumeClaimTemplates: oldClaims = [], ...oldRest } = old;
  return (
    semanticEqual(rest, oldRest) &&
    volumeClaimTemplates.length === oldClaims.length &&
    volumeClaimTemplates.every((claim, i) => sameClaim(claim, oldClaims[i]!)) &&
    samePodTemplate(template, oldTemplate)
  );
}

function sameClaim({ spec = {}, ...claim }: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const { resources, ...rest } = spec;
  const { spec: { resources: oldResources, ...oldRest } = {}, ...oldClaim } = old;
  return (
    semanticEqual(claim, oldClaim) &&
    semanticEqual(rest, oldRest) &&
    sameResources(resources?.requests, oldResources?.requests) &&
    sameResources(resources?.limits, oldResources?.limits)
  );
}
