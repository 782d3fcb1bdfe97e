import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';

/** The predecessor of `storageClassName`. It takes precedence. */
const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** Returns the name of the claim's StorageClass. Empty when the claim wants a volume without a class, undefined when it is not set. */
export const claimClass = ({ metadata, spec }: PersistentVolumeClaim): string | undefined =>
  metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName;

/** Returns the name of the volume's StorageClass, or an empty text without one. */
export const volumeClass = ({ metadata, spec }: PersistentVolume): string =>
  metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName ?? '';
