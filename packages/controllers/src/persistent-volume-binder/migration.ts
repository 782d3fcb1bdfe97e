import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { driverOfPlugin } from '@coxswain/component-helpers';
import { hasFinalizer, withFinalizer, withoutFinalizer } from '../framework/finalizers/finalizers.ts';
import { annotations, deletionFinalizer, withAnnotations } from './annotations.ts';

const externalFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';

/** Sets the annotation with the CSI driver that replaces the claim's provisioner. Returns the same object when nothing changes. */
export function migratedClaim(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const noted = claim.metadata.annotations ?? {};
  return withDriver(claim, noted[annotations.storageProvisioner] ?? noted[annotations.betaStorageProvisioner]);
}

/**
 * Sets the annotation with the CSI driver that replaces the volume's provisioner, and the deletion finalizer of the component
 * that deletes it.
 */
export function migratedVolume(volume: PersistentVolume): PersistentVolume {
  const provisioner = volume.metadata.annotations?.[annotations.provisionedBy];
  return provisioner === undefined ? volume : withDeletionFinalizer(withDriver(volume, provisioner), provisioner);
}

function withDriver<T extends PersistentVolume | PersistentVolumeClaim>(object: T, provisioner: string | undefined): T {
  if (provisioner === undefined) return object;
  const driver = driverOfPlugin(provisioner);
  if ((object.metadata.annotations?.[annotations.migratedTo] || undefined) === driver) return object;
  return withAnnotations(object, { [annotations.migratedTo]: driver });
}

function withDeletionFinalizer(volume: PersistentVolume, provisioner: string): PersistentVolume {
  const has = hasFinalizer(volume, deletionFinalizer);
  if (driverOfPlugin(provisioner)) return has ? withoutFinalizer(volume, deletionFinalizer) : volume;
  if (!provisioner.startsWith('kubernetes.io/')) return volume;
  const isDeleted = volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  let next = volume;
  if (isDeleted && !has) next = withFinalizer(next, deletionFinalizer);
  if (!isDeleted && has) next = withoutFinalizer(next, deletionFinalizer);
  return hasFinalizer(next, externalFinalizer) ? withoutFinalizer(next, externalFinalizer) : next;
}
