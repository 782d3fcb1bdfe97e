import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { SharedIndexInformer } from '@coxswain/client';
import type { LatestObjects } from '../framework/writes/latest-objects.ts';
import { claimClass, volumeClass } from './storage-classes.ts';

const index = 'binding';

export const claimKey = ({ metadata }: PersistentVolumeClaim): string => `${metadata.namespace}/${metadata.name}`;

/** Adds an index of volumes by claim, or by class if they have no claim, so that few volumes are considered for a claim. */
export function addBindingIndex(volumes: SharedIndexInformer<PersistentVolume>): void {
  if (volumes.indexer.hasIndex(index)) return;
  volumes.addIndexers({
    [index]: (volume) => {
      const { claimRef } = volume.spec ?? {};
      return [claimRef ? `claim/${claimRef.namespace}/${claimRef.name}` : `class/${volumeClass(volume)}`];
    },
  });
}

/** Returns the volumes that could be bound to the claim. */
export const volumesForClaim = (
  volumes: LatestObjects<PersistentVolume>,
  claim: PersistentVolumeClaim,
): PersistentVolume[] => [
  ...volumes.byIndex(index, `claim/${claimKey(claim)}`),
  ...volumes.byIndex(index, `class/${claimClass(claim) ?? ''}`),
];
