import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { timestamp } from '../registry/timestamp.ts';
import { type Condition, withCondition } from './conditions.ts';

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
export function retireDefinition(
  definition: CustomResourceDefinition,
  now: Date,
): CustomResourceDefinition | undefined {
  const { metadata } = definition;
  if (metadata.deletionTimestamp) return undefined;
  const finalizers = metadata.finalizers ?? [];
  const marked = {
    ...definition,
    metadata: {
      ...metadata,
      deletionTimestamp: timestamp(now),
      finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
    },
  };
  const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  return withCondition(marked, terminating('True', 'InstanceDeletionPending', message), now);
}
