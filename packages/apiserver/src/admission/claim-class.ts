import type { PersistentVolumeClaim } from '@coxswain/api/core/v1';

/** How the class of a claim was told before there was a field for it; it still counts. */
export const claimClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** The name of the claim's class; empty when it has none. */
export const claimClass = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.[claimClassAnnotation] ?? spec?.storageClassName ?? '';
