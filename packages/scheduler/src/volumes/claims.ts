import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';

/** The deprecated annotation for the storage class. It still takes precedence over the field. */
const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** Returns the name of the claim's StorageClass; empty when it has none. */
export const claimClass = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName ?? '';

/** Returns the name of the volume's StorageClass; empty when it has none. */
export const volumeClass = ({ metadata, spec }: PersistentVolume): string =>
  metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName ?? '';

/**
 * Returns the name of the claim for a pod's volume: the named one, or the generated one of an ephemeral volume; undefined for other
 * volumes.
 */
export function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  if (persistentVolumeClaim) return persistentVolumeClaim.claimName;
  return ephemeral && `${pod.metadata.name}-${name}`;
}

/** Whether the pod uses the claim, named by it or generated for one of its ephemeral volumes. */
export function usesClaim(pod: Pod, { metadata: { namespace, name } }: PersistentVolumeClaim): boolean {
  if (pod.metadata.namespace !== namespace) return false;
  return pod.spec?.volumes?.some((volume) => claimNameOf(pod, volume) === name) ?? false;
}

/** The names of the claims that the pod references. Generated claims are not included. */
export const namedClaims = ({ spec }: Pod): string[] =>
  spec?.volumes?.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []) ?? [];

/** Returns an error message when a claim for an ephemeral volume is not owned by the pod; undefined when it is. */
export function notOwned(pod: Pod, { metadata }: PersistentVolumeClaim): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (metadata.namespace === pod.metadata.namespace && owner?.uid === pod.metadata.uid) return undefined;
  const [claim, of] = [metadata, pod.metadata].map(({ namespace, name }) => `${namespace}/${name}`);
  return `PVC ${claim} was not created for pod ${of} (pod is not owner)`;
}
