import type { Namespace } from '@coxswain/api/core/v1';
import type { AdmissionAttributes } from '../admission.ts';
import { existingNamespace } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** Returns the namespace of a write; undefined for cluster-scoped objects, including namespaces. Throws NotFound. */
export async function requestNamespace(
  context: Pick<AdmissionContext, 'listers' | 'client'>,
  { namespace, kind }: AdmissionAttributes,
): Promise<Namespace | undefined> {
  if (namespace === '' || (kind.group === '' && kind.version === 'v1' && kind.kind === 'Namespace')) return undefined;
  return existingNamespace(context, namespace);
}
