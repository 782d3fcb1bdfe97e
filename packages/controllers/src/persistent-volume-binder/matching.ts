import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { claimClass, volumeClass } from './storage-classes.ts';

/** Whether the volume is reserved for the claim, by name or by name and uid. If it has a uid, another claim of that name does not match. */
export function isVolumeOf({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}

/** Returns why the claim cannot be bound to the volume that it names, or undefined when it can. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp)
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (capacityOf(volume).cmp(requestOf(claim)) < 0) return 'requested PV is too small';
  if (volumeClass(volume) !== (claimClass(claim) ?? '')) return 'storageClassName does not match';
  if (!hasSameAttributesClass(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!hasSameMode(volume, claim)) return 'incompatible volumeMode';
  if (!hasAccessModes(volume, claim)) return 'incompatible accessMode';
  return undefined;
}

export const hasSameMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem');

/**
 * Returns the best volume for the claim, which is reserved for it or free: with the fewest access modes, then reserved, then the
 * smallest. With `delayBinding` only reserved volumes are considered, because the scheduler selects the others. Throws when the
 * claim's selector is invalid.
 */
export function findMatch(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  delayBinding: boolean,
): PersistentVolume | undefined {
  const { selector } = claim.spec ?? {};
  const labels = selector && labelSelectorAsSelector(selector);
  const request = requestOf(claim);
  const fits = (volume: PersistentVolume): boolean =>
    !volume.metadata.deletionTimestamp &&
    hasAccessModes(volume, claim) &&
    hasSameMode(volume, claim) &&
    hasSameAttributesClass(volume, claim) &&
    capacityOf(volume).cmp(request) >= 0;
  const isFree = (volume: PersistentVolume): boolean =>
    !delayBinding &&
    !volume.spec?.claimRef &&
    volume.status?.phase === 'Available' &&
    volumeClass(volume) === (claimClass(claim) ?? '') &&
    (!labels || labels.matches(volume.metadata.labels));

  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (!isVolumeOf(volume, claim) && !isFree(volume)) continue;
    if (fits(volume) && (!best || isBetter(volume, best, claim))) best = volume;
  }
  return best;
}

/** Whether the first of two fitting volumes is better. */
function isBetter(volume: PersistentVolume, than: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const modes = modeCount(volume) - modeCount(than);
  if (modes !== 0) return modes < 0;
  const [isReserved, wasReserved] = [isVolumeOf(volume, claim), isVolumeOf(than, claim)];
  if (isReserved !== wasReserved) return isReserved;
  return !wasReserved && capacityOf(volume).cmp(capacityOf(than)) < 0;
}

const modeCount = ({ spec }: PersistentVolume): number => new Set(spec?.accessModes).size;

const hasAccessModes = (volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean =>
  (spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));

const hasSameAttributesClass = (volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean =>
  (spec?.volumeAttributesClassName ?? '') === (volume.spec?.volumeAttributesClassName ?? '');

const capacityOf = ({ spec }: PersistentVolume): Quantity => Quantity.parse(spec?.capacity?.storage ?? '0');
const requestOf = ({ spec }: PersistentVolumeClaim): Quantity =>
  Quantity.parse(spec?.resources?.requests?.storage ?? '0');
