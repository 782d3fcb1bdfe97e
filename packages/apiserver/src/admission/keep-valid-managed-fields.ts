import { decodeManagedFields, type KubernetesObject } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { AdmissionAttributes } from './admission.ts';

type ManagedFields = NonNullable<KubernetesObject['metadata']>['managedFields'];

/** Restores the managedFields from before admission when plug-ins made them invalid, and adds a warning. */
export function keepValidManagedFields({ object, warn }: AdmissionAttributes, before: ManagedFields): void {
  const after = object?.metadata?.managedFields;
  if (!object?.metadata || after === before) return;
  const problem = managedFieldsProblem(after);
  if (problem === undefined) return;
  const { managedFields: _, ...metadata } = object.metadata;
  object.metadata = { ...metadata, ...(before && { managedFields: before }) };
  warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  );
}

function managedFieldsProblem(managedFields: ManagedFields): string | undefined {
  try {
    decodeManagedFields(managedFields);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
