import type { OwnerReference } from '@coxswain/apimachinery';
import { GroupVersion, quote, semanticEqual } from '@coxswain/apimachinery';
import type { AuthorizationAttributes, Authorizer } from '../authorization/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { admissionForbidden } from './admission-error.ts';

/** Returns the resource of a kind; undefined when it is not served. */
export type OwnerMapper = (
  groupVersion: GroupVersion,
  kind: string,
) => { readonly name: string; readonly namespaced: boolean } | undefined;

/**
 * Changing the owners of an object affects when it is deleted, and requires permission to delete it. Setting
 * blockOwnerDeletion requires permission to update the finalizers of the owner.
 */
export function ownerReferencesPermissionEnforcement(authorizer: Authorizer, mapper: OwnerMapper): AdmissionPlugin {
  const allowed = async (attributes: AdmissionAttributes, asked: Partial<AuthorizationAttributes> & { verb: string }) =>
    authorizer.authorize({
      user: attributes.user,
      resourceRequest: true,
      apiGroup: '',
      apiVersion: '',
      resource: '',
      subresource: '',
      namespace: '',
      name: '',
      path: '',
      ...asked,
    });

  const assertMayDelete = async (attributes: AdmissionAttributes): Promise<void> => {
    const { resource, subresource, namespace, name } = attributes;
    const { decision, reason } = await allowed(attributes, {
      verb: 'delete',
      namespace,
      apiGroup: resource.group,
      apiVersion: resource.version,
      resource: resource.resource,
      subresource,
      name,
    });
    if (decision !== 'allow')
      throw admissionForbidden(
        attributes,
        `cannot set an ownerRef on a resource you can't delete: ${reason}, ${noError}`,
      );
  };

  const assertMayBlock = async (attributes: AdmissionAttributes, owner: OwnerReference): Promise<void> => {
    const groupVersion = GroupVersion.parse(owner.apiVersion);
    const mapping = mapper(groupVersion, owner.kind);
    if (!mapping)
      throw admissionForbidden(
        attributes,
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${owner.apiVersion} Kind ${owner.kind}: no matches for kind ${quote(owner.kind)} in version ${quote(owner.apiVersion)}`,
      );
    const { decision, reason } = await allowed(attributes, {
      verb: 'update',
      apiGroup: groupVersion.group,
      apiVersion: groupVersion.version,
      resource: mapping.name,
      subresource: 'finalizers',
      name: owner.name,
      ...(mapping.namespaced && { namespace: attributes.namespace }),
    });
    if (decision !== 'allow')
      throw admissionForbidden(
        attributes,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, ${noError}`,
      );
  };

  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    async validate(attributes) {
      const { resource, subresource, operation, object, oldObject } = attributes;
      // Kubelets write the status, and may not delete pods.
      if (resource.group === '' && resource.resource === 'pods' && subresource === 'status') return;
      const owners = object?.metadata?.ownerReferences ?? [];
      const old = oldObject?.metadata?.ownerReferences ?? [];
      if (semanticEqual(owners, old)) return;
      if (operation !== 'CREATE') await assertMayDelete(attributes);
      const blocked = new Set(old.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(({ uid }) => uid));
      const blocking = owners.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !blocked.has(uid));
      if (blocking.length === 0) return;
      const anything = { apiGroup: '*', apiVersion: '*', resource: '*', subresource: 'finalizers', name: '*' };
      const { decision } = await allowed(attributes, { verb: 'update', ...anything });
      if (decision === 'allow') return;
      for (const owner of blocking) await assertMayBlock(attributes, owner);
    },
  };
}

/** Upstream's message contains a nil error. */
const noError = '<nil>';
