import type { KubernetesObject, labels } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from './admission.ts';
import { existingNamespace } from './find-object.ts';
import type { AdmissionContext } from './plugin-context.ts';

/**
 * Whether a selector matches the namespace of a write. True for cluster-scoped objects. Throws NotFound when the
 * namespace does not exist.
 */
export async function selectsNamespace(
  context: Pick<AdmissionContext, 'listers' | 'client'>,
  selector: labels.Selector,
  attributes: AdmissionAttributes,
): Promise<boolean> {
  const { namespace, resource, subresource, operation, object } = attributes;
  const isNamespaces = resource.resource === 'namespaces';
  if (selector.isEmpty() || (namespace === '' && !isNamespaces)) return true;
  // The labels of the request, not the stored ones.
  if (isNamespaces && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return selector.matches(object?.metadata?.labels ?? {});
  const found = await existingNamespace(context, namespace);
  return selector.matches(found.metadata.labels ?? {});
}

/** Whether a selector matches one of the objects of a write. */
export const selectsObject = (selector: labels.Selector, ...objects: (KubernetesObject | undefined)[]): boolean =>
  selector.isEmpty() || objects.some((object) => object?.metadata && selector.matches(object.metadata.labels ?? {}));
