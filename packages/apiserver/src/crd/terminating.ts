import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { GroupResource, KubernetesObject } from '@coxswain/apimachinery';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { type Condition, withCondition } from './conditions.ts';

const definitionResource = 'customresourcedefinitions.apiextensions.k8s.io';

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** What is told while a definition is on its way out. */
export const terminating = (status: 'True' | 'False', reason: string, message: string): Condition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});

/**
 * What becomes of a definition that is to be deleted: it stays until its objects are gone. Undefined when it is on its way
 * already.
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

/** For the registry, which knows no kind by itself: how an object of the resource is retired; undefined for all but definitions. */
export const retirementOf = (
  resource: GroupResource,
): ((object: KubernetesObject, now: Date) => KubernetesObject | undefined) | undefined =>
  resource.toString() === definitionResource
    ? (object, now) => retireDefinition(object as CustomResourceDefinition, now)
    : undefined;
