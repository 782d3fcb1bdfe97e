import type { Namespace } from '@coxswain/api/core/v1';
import { ApiError, GroupResource } from '@coxswain/apimachinery';
import { LruExpireCache } from '@coxswain/apimachinery/cache';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { existingNamespace } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
const accessReviews = GroupResource.of('authorization.k8s.io', 'localsubjectaccessreviews');

/** How long after its deletion a namespace that the cache has as active is read from the store. */
const distrustMs = 30_000;
const maxDistrusted = 100;

/**
 * Rejects creates and updates in missing namespaces, creates in terminating ones, and the deletion of the three
 * namespaces that every cluster needs.
 *
 * Differs from upstream: it does not wait for its cache to contain a namespace before it reads the store.
 */
export function namespaceLifecycle(context: Pick<AdmissionContext, 'listers' | 'client' | 'now'>): AdmissionPlugin {
  const { client, now } = context;
  const distrusted = new LruExpireCache<string, true>(maxDistrusted, now);

  const find = async (name: string): Promise<Namespace> => {
    const cached = await existingNamespace(context, name);
    const stale = cached.status?.phase === 'Active' && distrusted.get(name);
    return stale ? client.get<Namespace>('', 'namespaces', '', name) : cached;
  };

  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async admit(attributes) {
      const { operation, kind, namespace, name, resource } = attributes;
      if (kind.group === '' && kind.kind === 'Namespace') {
        if (operation !== 'DELETE') return;
        if (immortal.has(name)) throw admissionForbidden(attributes, 'this namespace may not be deleted');
        distrusted.set(name, true, distrustMs);
        return;
      }
      // A LocalSubjectAccessReview is not stored in the namespace.
      if (namespace === '' || operation === 'DELETE' || resource.groupResource === accessReviews) return;
      const found = await find(namespace);
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
