import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { SharedInformerFactory } from '@coxswain/client';
import { driverOfPlugin } from '@coxswain/component-helpers';
import { claimClass, claimNameOf, notOwned } from '../../volumes/claims.ts';
import {
  type CSIVolume,
  inlinePlugin,
  isMigrated,
  translatedInlineVolume,
  translatedVolume,
} from '../../volumes/migrated-volumes.ts';

/** Driver names by volume: `driver/handle`. */
export type DriversByVolume = Map<string, string>;

/** A claim of the pod does not exist, or is owned by another pod. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError';
}

/** Finds the CSI volumes that pods use, including volumes of migrated in-tree plug-ins. */
export class CSIVolumes {
  readonly #informers: SharedInformerFactory;
  readonly #prefix: string;

  /** `prefix` marks the handles of volumes that are not provisioned yet. Real handles must not begin with it. */
  constructor(informers: SharedInformerFactory, prefix: string) {
    this.#informers = informers;
    this.#prefix = prefix;
    // Accessed so that these objects are watched from the start.
    void [informers.core.v1.persistentVolumes.informer, informers.core.v1.persistentVolumeClaims.informer];
    void [informers.storage.v1.storageClasses.informer];
  }

  /** Throws a `ClaimError` when a claim of the pod does not exist, and an Error when one is invalid for it. */
  checkClaims(pod: Pod): void {
    for (const volume of pod.spec?.volumes ?? []) {
      const claimName = claimNameOf(pod, volume);
      if (claimName === undefined) continue;
      if (!claimName) throw new Error('PersistentVolumeClaim had no name');
      const claim = this.#claim(pod, claimName);
      if (!claim) {
        const { namespace } = pod.metadata;
        throw new ClaimError(
          `looking up PVC ${namespace}/${claimName}: persistentvolumeclaim "${claimName}" not found`,
        );
      }
      const obstacle = volume.ephemeral && notOwned(pod, claim);
      if (obstacle) throw new Error(obstacle);
    }
  }

  /** Adds the pod's volumes. Missing claims are ignored. Throws an Error when an inline volume cannot be translated. */
  addVolumes(pod: Pod, found: DriversByVolume): void {
    for (const volume of pod.spec?.volumes ?? []) {
      const claimName = claimNameOf(pod, volume);
      const csi = claimName === undefined ? inlineVolume(volume) : this.#volumeOf(this.#claim(pod, claimName));
      if (csi?.driver && csi.volumeHandle) found.set(volumeKey(csi), csi.driver);
    }
  }

  #claim({ metadata: { namespace } }: Pod, name: string): PersistentVolumeClaim | undefined {
    return this.#informers.core.v1.persistentVolumeClaims.informer.indexer.getByKey(`${namespace}/${name}`);
  }

  #volumeOf(claim: PersistentVolumeClaim | undefined): CSIVolume | undefined {
    if (!claim) return undefined;
    const { volumeName } = claim.spec ?? {};
    const volume = volumeName && this.#informers.core.v1.persistentVolumes.informer.indexer.getByKey(volumeName);
    if (!volume) return this.#volumeToMake(claim);
    const { csi } = volume.spec ?? {};
    if (csi) return csi;
    try {
      return translatedVolume(volume);
    } catch {
      // No CSI driver can attach it.
      return undefined;
    }
  }

  /** Returns the volume that will be provisioned for the claim. A claim without a class is bound before its pod is scheduled. */
  #volumeToMake(claim: PersistentVolumeClaim): CSIVolume | undefined {
    const className = claimClass(claim);
    const storageClass = className && this.#informers.storage.v1.storageClasses.informer.indexer.getByKey(className);
    if (!storageClass) return undefined;
    const { provisioner } = storageClass;
    const migratedTo = driverOfPlugin(provisioner);
    if (migratedTo && !isMigrated(provisioner)) return undefined;
    const { namespace, name } = claim.metadata;
    return { driver: migratedTo ?? provisioner, volumeHandle: `${this.#prefix}-${namespace}/${name}` };
  }
}

export const volumeKey = ({ driver, volumeHandle }: CSIVolume): string => `${driver}/${volumeHandle}`;

function inlineVolume(volume: NonNullable<NonNullable<Pod['spec']>['volumes']>[number]): CSIVolume | undefined {
  try {
    return translatedInlineVolume(volume);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`converting volume(${volume.name}) from inline to csi: ${reason}`, { cause });
  }
}

/** Whether the pod may have volumes that a CSI driver has to attach. */
export const mayUseCSI = ({ spec }: Pod): boolean =>
  spec?.volumes?.some((volume) => volume.persistentVolumeClaim || volume.ephemeral || inlinePlugin(volume)) ?? false;
