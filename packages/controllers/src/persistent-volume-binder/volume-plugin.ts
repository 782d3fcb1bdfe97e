import type { Node, PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { StorageClass } from '@coxswain/api/storage/v1';

/** The arguments of `VolumePlugin.provision`. */
interface ProvisionRequest {
  /** The name of the new volume. */
  readonly name: string;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** The node selected for the first pod, if any. The volume must be usable there. */
  readonly node?: Node;
}

/** Provisions and deletes storage in this process. Errors are reported to users in events, and the call is retried later. */
export interface VolumePlugin {
  /** The `provisioner` in StorageClasses. */
  readonly name: string;
  /**
   * Provisions storage and returns the PersistentVolume to create. Must be idempotent: a repeated call with the same name returns
   * the same.
   */
  provision(request: ProvisionRequest, signal: AbortSignal): Promise<PersistentVolume>;
  /** Deletes the storage. Must not fail when it does not exist. */
  delete(volume: PersistentVolume, signal: AbortSignal): Promise<void>;
}

/** Thrown by `delete` when the storage is still in use. It does not make the volume fail. */
export class VolumeInUseError extends Error {
  override readonly name = 'VolumeInUseError';
}
