import { type KubernetesObject, objectKey, splitObjectKey } from '@coxswain/apimachinery/meta';

/** Computes the key under which a store holds an object. */
export type KeyFunc<T> = (object: T) => string;

/** `namespace/name`, or the name alone without a namespace. */
export const metaNamespaceKey: KeyFunc<KubernetesObject> = objectKey;

/** The inverse of `metaNamespaceKey`. Throws when there is more than one slash. */
export const splitKey: (key: string) => { namespace: string; name: string } = splitObjectKey;

/**
 * Stands for an object that is gone, when the event that said so was missed: a later list did not have it any more. Its
 * last state is not known; `object` is the last that was seen.
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: string;
  readonly object: T;

  constructor(key: string, object: T) {
    this.key = key;
    this.object = object;
  }
}

/** The key of whatever `onDelete` got. */
export const deletionHandlingKey = (deleted: KubernetesObject | DeletedFinalStateUnknown<unknown>): string =>
  deleted instanceof DeletedFinalStateUnknown ? deleted.key : metaNamespaceKey(deleted);

/** The object of whatever `onDelete` got, in the last state that is known of it. */
export const deletedObject = <T>(deleted: T | DeletedFinalStateUnknown<T>): T =>
  deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted;
