import { isInvalid, isNotFound } from '@coxswain/apimachinery/errors';
import type { KubernetesObject, OwnerReference } from '@coxswain/apimachinery/meta';
import { getControllerOfNoCopy } from '@coxswain/apimachinery/meta';
import { throwFailures } from '../failures/throw-failures.ts';

/** Who claims, and how its claims are carried out. */
export interface Claimant<T extends KubernetesObject> {
  readonly owner: { readonly uid: string; readonly reference: OwnerReference; readonly isBeingDeleted: boolean };
  /** Whether the owner wants the object: its selector, and whatever else. */
  matches(object: T): boolean;
  /**
   * Reads the owner afresh, not from a cache, and throws when it is another one of that name or about to go: asked once,
   * before the first adoption.
   */
  canAdopt(): Promise<void>;
  /** Patches the object as given. */
  patch(object: T, patch: OwnershipPatch): Promise<unknown>;
}

/** A strategic merge patch of an object's owners that only this very object takes. */
interface OwnershipPatch {
  readonly metadata: {
    readonly uid: string;
    readonly ownerReferences?: readonly (OwnerReference | { readonly $patch: 'delete'; readonly uid: string })[];
    readonly finalizers?: readonly string[];
    readonly '$deleteFromPrimitiveList/finalizers'?: readonly string[];
  };
}

export interface ClaimOptions {
  /** Added to what is adopted and taken from what is released. */
  readonly finalizer?: string;
}

/**
 * Which of the objects belong to the owner, after settling whose they are: matching orphans are adopted, owned ones that no
 * longer match are released, those of others are left alone. An object that is gone meanwhile counts as not there.
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
      // Gone, or replaced by another of the same name: nothing to claim or release. A 422 is what a reference to an
      // owner that the object does not have is answered with.
      if (isNotFound(error) || (controller && isInvalid(error))) continue;
      failures.push(error);
    }
  }
  throwFailures(failures);
  return claimed;
}
