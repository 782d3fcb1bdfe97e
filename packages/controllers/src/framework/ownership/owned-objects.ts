import { isInvalid, isNotFound } from '@coxswain/apimachinery/errors';
import type { KubernetesObject, OwnerReference } from '@coxswain/apimachinery/meta';
import { getControllerOfNoCopy } from '@coxswain/apimachinery/meta';
import { throwFailures } from '../failures/throw-failures.ts';

/** The owner that claims objects, and the functions that do it. */
export interface Claimant<T extends KubernetesObject> {
  readonly owner: { readonly uid: string; readonly reference: OwnerReference; readonly isBeingDeleted: boolean };
  /** Whether the object matches the owner's selector and its other conditions. */
  matches(object: T): boolean;
  /**
   * Reads the owner from the server, not from the cache, and throws when it has been replaced by another of the same name or is
   * being deleted. Called once, before the first adoption.
   */
  canAdopt(): Promise<void>;
  /** Patches the object as given. */
  patch(object: T, patch: OwnershipPatch): Promise<unknown>;
}

/** A strategic merge patch of an object's owner references. Its uid makes it fail on another object of the same name. */
interface OwnershipPatch {
  readonly metadata: {
    readonly uid: string;
    readonly ownerReferences?: readonly (OwnerReference | { readonly $patch: 'delete'; readonly uid: string })[];
    readonly finalizers?: readonly string[];
    readonly '$deleteFromPrimitiveList/finalizers'?: readonly string[];
  };
}

export interface ClaimOptions {
  /** Added to objects that are adopted and removed from objects that are released. */
  readonly finalizer?: string;
}

/**
 * Returns the objects that belong to the owner. Matching orphans are adopted, owned objects that no longer match are released,
 * and objects of other controllers are skipped. Objects that no longer exist are skipped.
 */
export async function claimObjects<T extends KubernetesObject>(
  objects: readonly T[],
  claimant: Claimant<T>,
  { finalizer }: ClaimOptions = {},
): Promise<T[]> {
  const { owner } = claimant;
  let mayAdopt: Promise<void> | undefined;
  const claimed: T[] = [];
  const failures: unknown[] = [];

  const adopt = async (object: T): Promise<boolean> => {
    mayAdopt ??= claimant.canAdopt();
    await mayAdopt;
    const { uid = '' } = object.metadata!;
    await claimant.patch(object, {
      metadata: { uid, ownerReferences: [owner.reference], ...(finalizer && { finalizers: [finalizer] }) },
    });
    return true;
  };

  const release = async (object: T): Promise<void> => {
    const { uid = '', finalizers } = object.metadata!;
    await claimant.patch(object, {
      metadata: {
        uid,
        ownerReferences: [{ $patch: 'delete', uid: owner.uid }],
        ...(finalizer && finalizers?.includes(finalizer) && { '$deleteFromPrimitiveList/finalizers': [finalizer] }),
      },
    });
  };

  for (const object of objects) {
    const controller = getControllerOfNoCopy(object);
    try {
      if (controller) {
        if (controller.uid !== owner.uid) continue;
        if (claimant.matches(object)) claimed.push(object);
        else if (!owner.isBeingDeleted) await release(object);
      } else if (!owner.isBeingDeleted && claimant.matches(object) && !object.metadata?.deletionTimestamp) {
        if (await adopt(object)) claimed.push(object);
      }
    } catch (error) {
      // The object is gone or was replaced by another of the same name: there is nothing to claim or release. The server answers
      // 422 when the object does not have the owner reference that the patch deletes.
      if (isNotFound(error) || (controller && isInvalid(error))) continue;
      failures.push(error);
    }
  }
  throwFailures(failures);
  return claimed;
}
