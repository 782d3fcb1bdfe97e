import type { Node, PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { StorageClass } from '@coxswain/api/storage/v1';

/** What is asked of a provisioner. */
interface ProvisionRequest {
  /** The name that the volume is to have. */
  readonly name: string;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** Where the first pod is going to be, if that is known: the volume must be of use there. */
  readonly node?: Node;
}

/**
 * Makes and removes what volumes stand for, in this process. What it rejects with is told to users, and it is asked again
 * later.
 */
export interface VolumePlugin {
  /** As StorageClasses have it in `provisioner`. */
  readonly name: string;
  /** Makes it, and answers the volume to be created. Called again with the same name, it must answer the same. */
  provision(request: ProvisionRequest, signal: AbortSignal): Promise<PersistentVolume>;
  /** Removes it. Harmless when it is gone already. */
  delete(volume: PersistentVolume, signal: AbortSignal): Promise<void>;
}

/** Thrown by `delete`: it is still in use, which is no failure. */
export class VolumeInUseError extends Error {
  override readonly name = 'VolumeInUseError';
}
