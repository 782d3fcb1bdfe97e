import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';

/** What said the class before there was a field for it; it still goes first. */
const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** The name of the claim's StorageClass, which is empty when it asks for volumes without one; undefined: it does not say. */
export const claimClass = ({ metadata, spec }: PersistentVolumeClaim): string | undefined =>
  metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName;

/** The name of the volume's StorageClass; empty when it has none. */
export const volumeClass = ({ metadata, spec }: PersistentVolume): string =>
  metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName ?? '';
