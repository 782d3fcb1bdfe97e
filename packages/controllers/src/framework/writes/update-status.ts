import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ResourceInterface } from '@coxswain/client';

/**
 * Writes a status, `withStatus` telling what the object is with it; when that fails, once more on what the server has now:
 * what was seen counts, whoever else has changed the object. Not on another object of that name.
 */
export async function updateStatus<T extends KubernetesObject>(
  client: Pick<ResourceInterface<T>, 'get' | 'updateStatus'>,
  object: T,
  withStatus: (object: T) => T,
): Promise<T> {
  try {
    return await client.updateStatus(withStatus(object));
  } catch (error) {
    const fresh = await client.get(object.metadata?.name ?? '');
    if (fresh.metadata?.uid !== object.metadata?.uid) throw error;
    return await client.updateStatus(withStatus(fresh));
  }
}
