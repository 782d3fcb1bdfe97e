import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { annotations, hasAnnotation } from './annotations.ts';
import type { Binding } from './binding.ts';
import { hasSameMode } from './matching.ts';
import { migratedVolume } from './migration.ts';
import type { Reclaiming } from './reclaiming.ts';
import { claimKey } from './volume-index.ts';

/** Reconciles volumes: updates their phase, and reclaims them when their claims are deleted. */
export class VolumeSync {
  readonly #context: ControllerContext;
  readonly #binding: Binding;
  readonly #reclaiming: Reclaiming;
  readonly #enqueueClaim: (key: string) => void;

  constructor(
    context: ControllerContext,
    options: {
      readonly binding: Binding;
      readonly reclaiming: Reclaiming;
      readonly enqueueClaim: (key: string) => void;
    },
  ) {
    this.#context = context;
    this.#binding = options.binding;
    this.#reclaiming = options.reclaiming;
    this.#enqueueClaim = options.enqueueClaim;
  }

  async sync(known: PersistentVolume): Promise<void> {
    const migrated = migratedVolume(known);
    const volume = migrated === known ? known : await this.#binding.updateVolume(migrated);
    // Without a uid the volume is at most reserved for a claim that has not been bound yet.
    if (!volume.spec?.claimRef?.uid) {
      await this.#binding.setVolumePhase(volume, 'Available');
      return;
    }
    const claim = await this.#claimOf(volume);
    if (!claim) return await this.#release(volume);
    const { name } = volume.metadata;
    const { volumeName } = claim.spec ?? {};
    if (volumeName === name) {
      await this.#binding.setVolumePhase(volume, 'Bound');
    } else if (!volumeName) {
      if (hasSameMode(volume, claim)) this.#enqueueClaim(claimKey(claim));
      else this.#tellMismatch(volume, claim);
    } else if (this.#isSpare(volume)) {
      await this.#release(volume);
    } else {
      // The claim was bound to another volume meanwhile.
      await this.#binding.unbind(volume);
    }
  }

  /** Whether the volume was provisioned for the claim but another one was bound first. */
  #isSpare(volume: PersistentVolume): boolean {
    return hasAnnotation(volume, annotations.provisionedBy) && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  }

  async #release(volume: PersistentVolume): Promise<void> {
    const { phase } = volume.status ?? {};
    const isReleased = phase === 'Released' || phase === 'Failed';
    await this.#reclaiming.reclaim(isReleased ? volume : await this.#binding.setVolumePhase(volume, 'Released'));
  }

  /** Returns the claim with the uid in claimRef. Reads it from the server before it is considered deleted. */
  async #claimOf({ spec, status }: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
    const { namespace = '', name = '', uid } = spec?.claimRef ?? {};
    const known = this.#binding.claims.get(`${namespace}/${name}`);
    if (known?.metadata.uid === uid) return known;
    if (!known && (status?.phase === 'Released' || status?.phase === 'Failed')) return undefined;
    try {
      const claim = await this.#context.clients.core.v1.persistentVolumeClaims(namespace).get(name);
      return claim.metadata.uid === uid ? claim : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #tellMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): void {
    const to = JSON.stringify(claim.metadata.name);
    const message = `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${to} due to incompatible volumeMode.`;
    this.#binding.volumeEvent(volume, 'Warning', 'VolumeMismatch', message);
    const from = JSON.stringify(volume.metadata.name);
    const claimMessage = `Cannot bind PersistentVolume ${from} to requested PersistentVolumeClaim due to incompatible volumeMode.`;
    this.#binding.claimEvent(claim, 'Warning', 'VolumeMismatch', claimMessage);
  }
}
