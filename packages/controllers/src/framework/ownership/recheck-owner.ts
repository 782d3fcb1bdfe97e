import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/**
 * Implements `Claimant.canAdopt`. Reads the owner with `get`, and throws when it has been replaced by another of the same name or
 * is being deleted.
 */
export async function recheckOwner(
  owner: KubernetesObject,
  kind: string,
  get: () => Promise<KubernetesObject>,
): Promise<void> {
  const { namespace, name, uid } = owner.metadata!;
  const { metadata: fresh } = await get();
  if (fresh?.uid !== uid) {
    throw new Error(`original ${kind} ${namespace}/${name} is gone: got uid ${fresh?.uid}, wanted ${uid}`);
  }
  if (fresh?.deletionTimestamp) {
    throw new Error(`${namespace}/${name} has just been deleted at ${fresh.deletionTimestamp}`);
  }
}
