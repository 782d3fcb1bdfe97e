import type { KubernetesObject, labels } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from './admission.ts';
import { existingNamespace } from './find-object.ts';
import type { AdmissionContext } from './plugin-context.ts';

/**
 * Whether a selector is for the namespace that a write is in; for what is in none, it is. Throws NotFound when the
 * namespace is not there.
 */
export async function selectsNamespace(
  context: Pick<AdmissionContext, 'listers' | 'client'>,
  selector: labels.Selector,
  attributes: AdmissionAttributes,
): Promise<boolean> {
  const { namespace, resource, subresource, operation, object } = attributes;
  const isNamespaces = resource.resource === 'namespaces';
  if (selector.isEmpty() || (namespace === '' && !isNamespaces)) return true;
  // What it is about to be, not what is stored.
  if (isNamespaces && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return selector.matches(object?.metadata?.labels ?? {});
  const found = await existingNamespace(context, namespace);
  return selector.matches(found.metadata.labels ?? {});
}

/** Whether a selector is for one of the objects of a write. */
export const selectsObject = (selector: labels.Selector, ...objects: (KubernetesObject | undefined)[]): boolean =>
  selector.isEmpty() || objects.some((object) => object?.metadata && selector.matches(object.metadata.labels ?? {}));
