import type { GroupVersionKind } from './group-version.ts';
import type { OwnerReference } from './object-meta.ts';
import type { KubernetesObject } from './type-meta.ts';

/** Returns a copy of the reference to the owner that manages the object, if any. */
export function getControllerOf(object: KubernetesObject): OwnerReference | undefined {
  const reference = getControllerOfNoCopy(object);
  return reference && { ...reference };
}

/** Like `getControllerOf`, without copying: the reference must not be modified. */
export function getControllerOfNoCopy({ metadata }: KubernetesObject): OwnerReference | undefined {
  for (const reference of metadata?.ownerReferences ?? none) if (reference.controller === true) return reference;
  return undefined;
}

const none: readonly OwnerReference[] = [];

/** Whether the owner manages the object. Owners are identified by uid: an owner created again with the same name is another one. */
export function isControlledBy(object: KubernetesObject, owner: KubernetesObject): boolean {
  const reference = getControllerOfNoCopy(object);
  return reference !== undefined && reference.uid === (owner.metadata?.uid ?? '');
}

/**
 * Returns a reference that makes the owner the object's controller and, in a foreground deletion, keeps the owner until the object is
 * gone.
 */
export function newControllerRef(owner: KubernetesObject, kind: GroupVersionKind): OwnerReference {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: owner.metadata?.name ?? '',
    uid: owner.metadata?.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}
