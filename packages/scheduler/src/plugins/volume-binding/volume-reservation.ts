import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { annotations } from './annotations.ts';
import { isReservedFor } from './matching-volumes.ts';
import type { PodVolumes } from './node-volumes.ts';
import type { VolumeCaches } from './pod-claims.ts';

/**
 * The volumes and claims as they will be written for the pod. They are assumed in the caches, so that other pods see
 * them already.
 */
export class VolumeReservation {
  readonly #caches: VolumeCaches;
  /** The objects to write, or, once written, as returned by the server: then `giveUp` has no effect on them. */
  readonly bindings: { readonly claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  readonly provisions: PersistentVolumeClaim[] = [];

  /** Throws an Error, without reserving anything, when an object has changed since it was found. */
  constructor({ bindings, provisions }: PodVolumes, nodeName: string, caches: VolumeCaches) {
    this.#caches = caches;
    try {
      for (const { claim, volume } of bindings) {
        const reserved = reservedVolume(volume, claim);
        if (reserved !== volume) caches.volumes.assume(reserved);
        this.bindings.push({ claim, volume: reserved });
      }
      for (const claim of provisions) {
        const withNode = withAnnotation(claim, annotations.selectedNode, nodeName);
        caches.claims.assume(withNode);
        this.provisions.push(withNode);
      }
    } catch (error) {
      this.giveUp();
      throw error;
    }
  }

  giveUp(): void {
    for (const { volume } of this.bindings) this.#caches.volumes.restore(volume);
    for (const claim of this.provisions) this.#caches.claims.restore(claim);
  }
}

/** Returns the volume with its claimRef set; the same object when nothing changes. */
function reservedVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const known = volume.spec?.claimRef;
  if (known?.uid === uid && isReservedFor(volume, claim)) return volume;
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const reserved = { ...volume, spec: { ...volume.spec, claimRef } };
  // A claimRef set by a user means that the user has chosen the claim.
  return isReservedFor(volume, claim) ? reserved : withAnnotation(reserved, annotations.boundByController, 'yes');
}

function withAnnotation<T extends PersistentVolume | PersistentVolumeClaim>(object: T, name: string, value: string): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: value } } };
}
