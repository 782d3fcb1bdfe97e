import { isAlreadyExists, isConflict, isNotFound, type KubernetesObject } from '@coxswain/apimachinery';
import type { InternalWrite, Lister } from '../registry/lister.ts';
import type { BootstrapContext } from './post-start-hook.ts';

export interface ResourceRef {
  readonly group: string;
  readonly resource: string;
}

/** Waits until the lister has synced. */
export async function syncedLister<T extends KubernetesObject>(
  { listers }: BootstrapContext,
  { group, resource }: ResourceRef,
): Promise<Lister<T>> {
  const lister = listers.lister<T>(group, resource);
  await lister.synced;
  return lister;
}

/**
 * Ensures that the objects exist. Creates missing ones concurrently, and updates those for which `revise` returns an
 * object. A concurrent change by another client is not an error. Returns the resulting objects, without those that were
 * changed concurrently.
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

/**
 * Runs the write. Returns undefined when it fails because of a concurrent change: AlreadyExists, Conflict or NotFound.
 */
export async function unlessSurpassed<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
