import type { PersistentVolume } from '@coxswain/api/core/v1';
import { isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { isPodTerminal } from '@coxswain/component-helpers';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { hasFinalizer, withoutFinalizer } from '../framework/finalizers/finalizers.ts';
import { podsWithClaim } from '../framework/volumes/claim-pods.ts';
import { annotations, deletionFinalizer } from './annotations.ts';
import type { BinderParts } from './binder-parts.ts';
import type { Binding } from './binding.ts';
import type { Operations } from './operations.ts';
import { VolumeInUseError, type VolumePlugin } from './volume-plugin.ts';

type Deleter = Pick<VolumePlugin, 'delete'>;

/** Applies the reclaim policy of volumes whose claim is deleted. */
export class Reclaiming {
  readonly #context: ControllerContext;
  readonly #binding: Binding;
  readonly #operations: Operations;
  readonly #plugins: ReadonlyMap<string, VolumePlugin>;
  readonly #signal: AbortSignal;

  constructor(context: ControllerContext, options: BinderParts) {
    this.#context = context;
    this.#binding = options.binding;
    this.#operations = options.operations;
    this.#plugins = options.plugins;
    this.#signal = options.signal;
  }

  async reclaim(volume: PersistentVolume): Promise<void> {
    if (volume.metadata.annotations?.[annotations.migratedTo]) return;
    const { name, uid } = volume.metadata;
    switch (volume.spec?.persistentVolumeReclaimPolicy) {
      case 'Retain':
        return;
      case 'Recycle':
        return this.#operations.start(`recycle-${name}[${uid}]`, () => this.#recycle(volume));
      case 'Delete':
        return this.#operations.start(`delete-${name}[${uid}]`, () => this.#delete(volume));
      default:
        await this.#binding.failVolume(
          volume,
          'VolumeUnknownReclaimPolicy',
          'Volume has unrecognized PersistentVolumeReclaimPolicy',
        );
    }
  }

  /** Differs from upstream: there are no recyclers, which are deprecated. The volume fails with a message. */
  async #recycle(volume: PersistentVolume): Promise<void> {
    const fresh = await this.#released(volume);
    if (!fresh) return;
    const { namespace, name } = fresh.spec?.claimRef ?? {};
    const key = `${namespace}/${name}`;
    const users = podsWithClaim(this.#context.informers.core.v1.pods.informer.indexer, key)
      .filter((pod) => !isPodTerminal(pod))
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    if (users.length > 0 && !this.#binding.claims.get(key)) {
      const message = `Volume is used by pods: ${users.sort().join(',')}`;
      return this.#binding.volumeEvent(fresh, 'Normal', 'VolumeFailedRecycle', message);
    }
    await this.#binding.failVolume(fresh, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!');
  }

  async #delete(volume: PersistentVolume): Promise<void> {
    let deleter: Deleter | undefined;
    try {
      deleter = this.#deleterOf(volume);
    } catch (error) {
      return await this.#binding.failVolume(volume, 'VolumeFailedDelete', messageOf(error));
    }
    // An external provisioner deletes its own volumes.
    if (!deleter || !(await this.#released(volume))) return;
    try {
      await deleter.delete(volume, this.#signal);
      await this.#removeFinalizer(volume);
    } catch (error) {
      if (error instanceof VolumeInUseError)
        this.#binding.volumeEvent(volume, 'Normal', 'VolumeDelete', messageOf(error));
      else await this.#binding.failVolume(volume, 'VolumeFailedDelete', messageOf(error));
      throw error;
    }
    const { name = '', uid = '' } = volume.metadata;
    await this.#context.clients.core.v1
      .persistentVolumes()
      .delete(name, { preconditions: { uid } })
      .catch((error: unknown) => {
        // The next reconcile of the volume retries it.
        if (!isNotFound(error))
          this.#context.logger.error('Failed to delete volume from database', error, { volumeName: name });
      });
  }

  /** Returns undefined for an external provisioner. Throws when no plugin can delete the volume. */
  #deleterOf(volume: PersistentVolume): Deleter | undefined {
    const provisioner = volume.metadata.annotations?.[annotations.provisionedBy];
    if (provisioner) {
      const plugin = this.#plugins.get(provisioner);
      if (plugin || !provisioner.startsWith('kubernetes.io/')) return plugin;
      throw new Error(`no volume plugin matched name: ${provisioner}`);
    }
    const { spec } = volume;
    if (spec?.csi) return undefined;
    if (spec?.hostPath) return hostPathDeleter;
    const name = JSON.stringify(volume.metadata.name);
    const reason = spec?.nfs ? 'no deletable volume plugin matched' : 'no volume plugin matched';
    throw new Error(`error getting deleter volume plugin for volume ${name}: ${reason}`);
  }

  /** Returns the volume from the server if its claim is deleted or has another volume, otherwise undefined. */
  async #released(volume: PersistentVolume): Promise<PersistentVolume | undefined> {
    let fresh: PersistentVolume;
    try {
      fresh = await this.#context.clients.core.v1.persistentVolumes().get(volume.metadata.name ?? '');
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    const { namespace, name, uid } = fresh.spec?.claimRef ?? {};
    if (!uid) return undefined;
    const claim = this.#binding.claims.get(`${namespace}/${name}`);
    if (claim?.metadata.uid !== uid) return fresh;
    const { volumeName } = claim.spec ?? {};
    return volumeName && volumeName !== fresh.metadata.name ? fresh : undefined;
  }

  async #removeFinalizer({ metadata }: PersistentVolume): Promise<void> {
    const fresh = await this.#context.clients.core.v1.persistentVolumes().get(metadata.name ?? '');
    if (hasFinalizer(fresh, deletionFinalizer))
      await this.#binding.updateVolume(withoutFinalizer(fresh, deletionFinalizer));
  }
}

/** Differs from upstream, which deletes the path on its own host: the directory belongs to a node and is not deleted. */
const hostPathDeleter: Deleter = {
  delete: async ({ spec }) => {
    const { path = '' } = spec?.hostPath ?? {};
    if (!/\/tmp\/.+/.test(path))
      throw new Error(`host_path deleter only supports /tmp/.+ but received provided ${path}`);
  },
};
