import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/**
 * Whether an owner may still adopt: reads it afresh by `get`, and throws when it is another one of that name by now, or about
 * to go. For `Claimant.canAdopt`.
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
