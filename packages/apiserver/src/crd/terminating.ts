import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { GroupResource, KubernetesObject } from '@coxswain/apimachinery';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { type Condition, withCondition } from './conditions.ts';

const definitionResource = 'customresourcedefinitions.apiextensions.k8s.io';

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** The Terminating condition of a definition. */
export const terminating = (status: 'True' | 'False', reason: string, message: string): Condition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});

/**
 * Marks a definition as deleted: it stays until its objects are deleted. Returns undefined when it is marked already.
 */
function retireDefinition(definition: CustomResourceDefinition, now: Date): CustomResourceDefinition | undefined {
  const { metadata } = definition;
  if (metadata.deletionTimestamp) return undefined;
  const finalizers = metadata.finalizers ?? [];
  const marked = {
    ...definition,
    metadata: {
      ...metadata,
      deletionTimestamp: timeFromDate(now),
      finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
    },
  };
  const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  return withCondition(marked, terminating('True', 'InstanceDeletionPending', message), now);
}

/** The function with which the registry marks objects of the resource as deleted; undefined for all but definitions. */
export const retirementOf = (
  resource: GroupResource,
): ((object: KubernetesObject, now: Date) => KubernetesObject | undefined) | undefined =>
  resource.toString() === definitionResource
    ? (object, now) => retireDefinition(object as CustomResourceDefinition, now)
    : undefined;
