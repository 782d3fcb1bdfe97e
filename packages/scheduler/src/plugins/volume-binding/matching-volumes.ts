import type { Node, PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { VolumeAccess } from './volume-access.ts';

/** A claim with the volumes that it could be bound to, on any node. */
export interface MatchableClaim {
  readonly claim: PersistentVolumeClaim;
  /** The volume that is reserved for it by claimRef; no other volume is usable then. */
  readonly reserved: PersistentVolume | undefined;
  /** Sorted by size, smallest first. */
  readonly volumes: readonly PersistentVolume[];
}

/** Finds the volumes of the class that match the claim, once for all nodes. Throws an Error for an invalid selector. */
export function matchableClaim(claim: PersistentVolumeClaim, ofClass: readonly PersistentVolume[]): MatchableClaim {
  const { selector } = claim.spec ?? {};
  const labels = selector && labelSelectorAsSelector(selector);
  const request = requestOf(claim);
  const fits = (volume: PersistentVolume): boolean =>
    !volume.metadata.deletionTimestamp &&
    (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem') &&
    (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '') &&
    capacityOf(volume).cmp(request) >= 0;
  const isFree = (volume: PersistentVolume): boolean =>
    !volume.spec?.claimRef &&
    volume.status?.phase === 'Available' &&
    (!labels || labels.matches(volume.metadata.labels)) &&
    (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));
  const reserved = ofClass.find((volume) => isReservedFor(volume, claim) && fits(volume));
  if (reserved) return { claim, reserved, volumes: [] };
  const sized = ofClass
    .filter((volume) => isFree(volume) && fits(volume))
    .map((volume) => ({ volume, capacity: capacityOf(volume) }));
  sized.sort((a, b) => a.capacity.cmp(b.capacity));
  return { claim, reserved, volumes: sized.map(({ volume }) => volume) };
}

/** Returns the smallest matching volume that the node can use and that is not taken; undefined when there is none. */
export function matchOnNode(
  { reserved, volumes }: MatchableClaim,
  node: Node,
  { access, isTaken }: { readonly access: VolumeAccess; readonly isTaken: (volume: PersistentVolume) => boolean },
): PersistentVolume | undefined {
  if (reserved) return !isTaken(reserved) && access.test(reserved)(node) ? reserved : undefined;
  for (const volume of volumes) if (access.test(volume)(node) && !isTaken(volume)) return volume;
  return undefined;
}

/** Whether the volume's claimRef names this claim. A UID, if set, must match as well. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}

export const requestOf = ({ spec }: PersistentVolumeClaim): Quantity =>
  Quantity.parse(spec?.resources?.requests?.storage ?? '0');

const capacityOf = ({ spec }: PersistentVolume): Quantity => Quantity.parse(spec?.capacity?.storage ?? '0');
