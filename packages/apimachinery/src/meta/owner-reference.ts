import type { GroupVersionKind } from './group-version.ts';
import type { OwnerReference } from './object-meta.ts';
import type { KubernetesObject } from './type-meta.ts';

/** The one owner that manages the object, if any; a copy. */
export function getControllerOf(object: KubernetesObject): OwnerReference | undefined {
  const reference = getControllerOfNoCopy(object);
  return reference && { ...reference };
}

/** The same as it stands in the object, for those who only look at it. */
export function getControllerOfNoCopy({ metadata }: KubernetesObject): OwnerReference | undefined {
  for (const reference of metadata?.ownerReferences ?? none) if (reference.controller === true) return reference;
  return undefined;
}

const none: readonly OwnerReference[] = [];

/** Whether that owner manages the object. Identity is the uid: an owner of the same name made anew is another one. */
export function isControlledBy(object: KubernetesObject, owner: KubernetesObject): boolean {
  const reference = getControllerOfNoCopy(object);
  return reference !== undefined && reference.uid === (owner.metadata?.uid ?? '');
}

/** A reference that makes the owner the object's controller and keeps it until the object is gone. */
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
