import type { ObjectMeta } from '@coxswain/apimachinery';
import { internalForm as podInternalForm, withHostFields } from '../../core/v1/internal-form/internal-form.ts';
import { sortedEntries } from '../../core/v1/pod/index.ts';
import type { PodSpec, PodTemplateSpec } from '../../generated/core/v1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';

/** Parts of a Job as upstream's messages print them; see `strategy/internal-form.ts` for the notation. */
export const internalForm = internalFormOf(`
PodFailurePolicy Rules:[]PodFailurePolicyRule
PodFailurePolicyRule Action:s OnExitCodes:*PodFailurePolicyOnExitCodesRequirement
 OnPodConditions:[]PodFailurePolicyOnPodConditionsPattern
PodFailurePolicyOnExitCodesRequirement ContainerName:*s Operator:s Values:[]i
PodFailurePolicyOnPodConditionsPattern Type:s Status:s
SuccessPolicy Rules:[]SuccessPolicyRule
SuccessPolicyRule SucceededIndexes:*s SucceededCount:*i
UncountedTerminatedPods Succeeded:[]s Failed:[]s
`);

export const internalPodSpec = (spec: PodSpec): object => podInternalForm('PodSpec', withHostFields(spec));

/** The fields of a template's metadata, in the order of Go's struct. */
const metadataFields: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'creationTimestamp',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
];

/** Returns a template in internal form. Its metadata is inlined: the embedded Go field has no name of its own. */
export function internalPodTemplate({ metadata = {}, spec = { containers: [] } }: PodTemplateSpec): unknown {
  const printed: Record<string, unknown> = {};
  for (const field of metadataFields) {
    const value = metadata[field];
    if (value === undefined) continue;
    const isMap = field === 'labels' || field === 'annotations';
    printed[field] = isMap ? Object.fromEntries(sortedEntries(metadata[field])) : value;
  }
  return { ...printed, Spec: internalPodSpec(spec) };
}
