import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ResourceInterface } from '@coxswain/client';

/**
 * Updates the status of an object. If that fails, reads the object and tries once more with the fresh one: the status is based on
 * what was observed, so other clients' changes do not matter. Rejects when the object has been replaced by another of the same
 * name.
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
