import type { Namespace } from '@coxswain/api/core/v1';
import { ApiError, GroupResource, newNotFound } from '@coxswain/apimachinery';
import type { Lister } from '../registry/lister.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { admissionForbidden } from './admission-error.ts';

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Objects are made in namespaces that exist and are to stay; and the three that a cluster cannot do without are never
 * deleted.
 */
export function namespaceLifecycle(namespaces: Lister<Namespace>): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async admit(attributes) {
      const { operation, kind, namespace, name, resource } = attributes;
      const isNamespace = kind.group === '' && kind.kind === 'Namespace';
      if (operation === 'DELETE' && isNamespace && immortal.has(name))
        throw admissionForbidden(attributes, 'this namespace may not be deleted');
      // Asking what somebody could do there does nothing there.
      if (isNamespace || namespace === '' || resource.resource === 'localsubjectaccessreviews') return;
      if (operation === 'DELETE') return;
      const found = namespaces.get('', namespace);
      if (!found) throw newNotFound(GroupResource.of('', 'namespaces'), namespace);
      if (operation === 'CREATE' && found.status?.phase === 'Terminating') throw terminating(attributes);
    },
  };
}

function terminating(attributes: AdmissionAttributes): ApiError {
  const { namespace } = attributes;
  const { status } = admissionForbidden(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new ApiError({
    ...status,
    details: { ...status.details, causes: [...(status.details?.causes ?? []), cause] },
  });
}
