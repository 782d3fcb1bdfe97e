import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { annotations } from './annotations.ts';

type Phase = NonNullable<PersistentVolumeClaimStatus['phase']>;

/**
 * Returns the claim's status with the properties of its volume, or without any. Returns the same object when nothing changes.
 * Throws when the volume has no capacity.
 */
export function claimStatus(
  claim: PersistentVolumeClaim,
  phase: Phase,
  volume: PersistentVolume | undefined,
): PersistentVolumeClaimStatus | undefined {
  const status = claim.status ?? {};
  const next = volume ? statusWith(status, phase, volume) : statusWithout(status, phase);
  return semanticEqual(next, status) ? claim.status : next;
}

function statusWithout(status: PersistentVolumeClaimStatus, phase: Phase): PersistentVolumeClaimStatus {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...rest } = status;
  return { ...rest, phase };
}

function statusWith(
  status: PersistentVolumeClaimStatus,
  phase: Phase,
  volume: PersistentVolume,
): PersistentVolumeClaimStatus {
  const { accessModes, volumeAttributesClassName } = volume.spec ?? {};
  const next = { ...status, phase, ...(accessModes && { accessModes }) };
  // Later the controller that resizes the volume updates the capacity.
  if (status.phase !== phase) {
    const capacity = capacityFor(status, volume);
    if (capacity) next.capacity = capacity;
  }
  if (status.phase === 'Pending' && phase === 'Bound' && volumeAttributesClassName !== undefined)
    next.currentVolumeAttributesClassName = volumeAttributesClassName;
  return next;
}

function capacityFor(
  { capacity }: PersistentVolumeClaimStatus,
  { metadata, spec }: PersistentVolume,
): PersistentVolumeClaimStatus['capacity'] {
  const size = spec?.capacity?.storage;
  if (size === undefined)
    throw new Error(`PersistentVolume ${JSON.stringify(metadata.name)} is without a storage capacity`);
  const before = metadata.annotations?.[annotations.preResizeCapacity];
  if (before !== undefined) return { ...capacity, storage: readable(before) ?? size };
  const isSame = capacity?.storage !== undefined && Quantity.parse(capacity.storage).cmp(Quantity.parse(size)) === 0;
  return isSame ? capacity : spec?.capacity;
}

function readable(quantity: string): string | undefined {
  try {
    return Quantity.parse(quantity).toString();
  } catch {
    return undefined;
  }
}
