import { storageClassAnnotation } from '../core/v1/storage-class-annotation.ts';
import type { PersistentVolumeClaim } from '../generated/core/v1.ts';

/** Returns the name of the claim's storage class; empty when it has none. */
export const claimClass = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.[storageClassAnnotation] ?? spec?.storageClassName ?? '';
