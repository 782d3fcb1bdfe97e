import { type KubernetesObject, objectKey, splitObjectKey } from '@coxswain/apimachinery/meta';

/** Computes the key under which a store holds an object. */
export type KeyFunc<T> = (object: T) => string;

/** `namespace/name`, or the name alone without a namespace. */
export const metaNamespaceKey: KeyFunc<KubernetesObject> = objectKey;

/** The inverse of `metaNamespaceKey`. Throws when there is more than one slash. */
export const splitKey: (key: string) => { namespace: string; name: string } = splitObjectKey;

/**
 * A deleted object whose watch event was missed: a later list did not contain it. `object` is the last known state,
 * which may not be the final one.
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: string;
  readonly object: T;

  constructor(key: string, object: T) {
    this.key = key;
    this.object = object;
  }
}

/** The key of the argument of `onDelete`. */
export const deletionHandlingKey = (deleted: KubernetesObject | DeletedFinalStateUnknown<unknown>): string =>
  deleted instanceof DeletedFinalStateUnknown ? deleted.key : metaNamespaceKey(deleted);

/** The object of the argument of `onDelete`, in its last known state. */
export const deletedObject = <T>(deleted: T | DeletedFinalStateUnknown<T>): T =>
  deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted;
