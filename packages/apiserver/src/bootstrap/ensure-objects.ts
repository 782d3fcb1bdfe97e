import { isAlreadyExists, isConflict, isNotFound, type KubernetesObject } from '@coxswain/apimachinery';
import type { InternalWrite, Lister } from '../registry/lister.ts';
import type { BootstrapContext } from './post-start-hook.ts';

export interface ResourceRef {
  readonly group: string;
  readonly resource: string;
}

/** Waits until all that is stored is known. */
export async function syncedLister<T extends KubernetesObject>(
  { listers }: BootstrapContext,
  { group, resource }: ResourceRef,
): Promise<Lister<T>> {
  const lister = listers.lister<T>(group, resource);
  await lister.synced;
  return lister;
}

/**
 * Sees to it that the objects are there: creates what is missing, all at once, and updates what `revise` gives another
 * form of. When somebody else does the same at that moment, that is as good. Gives
 * the objects as they are now, apart from those that somebody else made.
 */
export async function ensureObjects<T extends KubernetesObject>(
  context: BootstrapContext,
  resource: ResourceRef,
  wanted: readonly T[],
  revise: (current: T, wanted: T) => T | undefined = () => undefined,
  write?: InternalWrite,
): Promise<T[]> {
  const lister = await syncedLister<T>(context, resource);
  const objects = await Promise.all(
    wanted.map(async (object) => {
      const { namespace = '', name = '' } = object.metadata ?? {};
      const current = lister.get(namespace, name);
      const revised = current && revise(current, object);
      if (current && !revised) return current;
      return unlessSurpassed(() =>
        revised
          ? context.client.update(resource.group, resource.resource, revised, write)
          : context.client.create(resource.group, resource.resource, object, write),
      );
    }),
  );
  return objects.filter((object) => object !== undefined);
}

/** Does the write; undefined when somebody else was quicker and the object is no longer what was seen. */
export async function unlessSurpassed<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
