import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';

/** What said the class before there was a field for it; it still goes first. */
const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** The name of the claim's StorageClass; empty when it has none. */
export const claimClass = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName ?? '';

/** The name of the volume's StorageClass; empty when it has none. */
export const volumeClass = ({ metadata, spec }: PersistentVolume): string =>
  metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName ?? '';

/** The claim that a pod's volume is of: one that the pod names, or that is made for it; undefined when it is of none. */
export function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  if (persistentVolumeClaim) return persistentVolumeClaim.claimName;
  return ephemeral && `${pod.metadata.name}-${name}`;
}

/** Whether the claim is one that the pod names, or that is made for it. */
export function usesClaim(pod: Pod, { metadata: { namespace, name } }: PersistentVolumeClaim): boolean {
  if (pod.metadata.namespace !== namespace) return false;
  return pod.spec?.volumes?.some((volume) => claimNameOf(pod, volume) === name) ?? false;
}

/** The names of the claims that the pod names itself. */
export const namedClaims = ({ spec }: Pod): string[] =>
  spec?.volumes?.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []) ?? [];

/** What is wrong with a claim for an ephemeral volume that belongs to somebody else; undefined when it is the pod's. */
export function notOwned(pod: Pod, { metadata }: PersistentVolumeClaim): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (metadata.namespace === pod.metadata.namespace && owner?.uid === pod.metadata.uid) return undefined;
  const [claim, of] = [metadata, pod.metadata].map(({ namespace, name }) => `${namespace}/${name}`);
  return `PVC ${claim} was not created for pod ${of} (pod is not owner)`;
}
