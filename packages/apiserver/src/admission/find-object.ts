import type { Namespace } from '@coxswain/api/core/v1';
import { GroupResource, isNotFound, type KubernetesObject, newNotFound } from '@coxswain/apimachinery';
import type { AdmissionContext } from './plugin-context.ts';

/**
 * Returns an object from the cache or else from the store, since the cache of a store in another process may lag.
 * Undefined when it does not exist.
 */
export async function findObject<T extends KubernetesObject>(
  { listers, client }: Pick<AdmissionContext, 'listers' | 'client'>,
  group: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<T | undefined> {
  const lister = listers.lister<T>(group, resource);
  await lister.synced;
  const cached = lister.get(namespace, name);
  if (cached || name === '') return cached;
  try {
    return await client.get<T>(group, resource, namespace, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Returns a namespace from the cache or the store. Throws NotFound. */
export async function existingNamespace(
  context: Pick<AdmissionContext, 'listers' | 'client'>,
  name: string,
): Promise<Namespace> {
  const found = await findObject<Namespace>(context, '', 'namespaces', '', name);
  if (!found) throw newNotFound(GroupResource.of('', 'namespaces'), name);
  return found;
}

/** Returns an object from the cache. Throws NotFound with the singular name, as upstream's caches do. */
export async function cachedObject<T extends KubernetesObject>(
  { listers }: Pick<AdmissionContext, 'listers'>,
  group: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<T> {
  const lister = listers.lister<T>(group, resource);
  await lister.synced;
  const found = lister.get(namespace, name);
  if (!found) throw newNotFound(GroupResource.of(group, resource.replace(/s$/, '')), name);
  return found;
}
