import type { Node, PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { StorageClass } from '@coxswain/api/storage/v1';
import { isAlreadyExists, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { objectReference } from '@coxswain/client';
import { driverOfPlugin } from '@coxswain/component-helpers';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { annotations, deletionFinalizer, withAnnotations } from './annotations.ts';
import type { BinderParts } from './binder-parts.ts';
import type { Binding } from './binding.ts';
import { migratedClaim } from './migration.ts';
import type { Operations } from './operations.ts';
import { claimClass } from './storage-classes.ts';
import { claimKey } from './volume-index.ts';
import type { VolumePlugin } from './volume-plugin.ts';

/** The number of attempts to create the PersistentVolume object of a provisioned volume, and their interval. */
const createAttempts = 5;
const createIntervalMs = 10_000;

/** Provisions volumes for claims with a plugin, or waits for an external provisioner. */
export class Provisioning {
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

  start(claim: PersistentVolumeClaim): void {
    const name = claimClass(claim) ?? '';
    const storageClass = this.#context.informers.storage.v1.storageClasses.informer.indexer.getByKey(name);
    if (!storageClass) {
      this.#fail(claim, `storageclass.storage.k8s.io ${JSON.stringify(name)} not found`);
      return;
    }
    let plugin: VolumePlugin | undefined;
    try {
      plugin = this.#pluginOf(storageClass);
    } catch (error) {
      this.#fail(claim, messageOf(error));
      return;
    }
    this.#operations.start(`provision-${claimKey(claim)}[${claim.metadata.uid}]`, () =>
      plugin ? this.#provision(claim, plugin, storageClass) : this.#awaitExternal(claim, storageClass),
    );
  }

  /** Returns undefined for an external provisioner. Throws when the plugin does not exist. */
  #pluginOf({ provisioner }: StorageClass): VolumePlugin | undefined {
    const plugin = this.#plugins.get(provisioner);
    if (plugin || driverOfPlugin(provisioner) || !provisioner.startsWith('kubernetes.io/')) return plugin;
    throw new Error(`no volume plugin matched name: ${provisioner}`);
  }

  #fail(claim: PersistentVolumeClaim, message: string): void {
    this.#binding.claimEvent(claim, 'Warning', 'ProvisioningFailed', message);
  }

  async #awaitExternal(claim: PersistentVolumeClaim, { provisioner }: StorageClass): Promise<void> {
    const name = driverOfPlugin(provisioner) ?? provisioner;
    const noted = await this.#noteProvisioner(claim, name).catch((error: unknown) => {
      this.#fail(claim, `Error saving claim: ${messageOf(error)}`);
      throw error;
    });
    const message =
      `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system ` +
      'administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
    this.#binding.claimEvent(noted, 'Normal', 'ExternalProvisioning', message);
  }

  /** Sets the annotations by which external provisioners find their claims. */
  async #noteProvisioner(claim: PersistentVolumeClaim, name: string): Promise<PersistentVolumeClaim> {
    if (claim.metadata.annotations?.[annotations.storageProvisioner] === name) return claim;
    const noted = withAnnotations(claim, {
      [annotations.betaStorageProvisioner]: name,
      [annotations.storageProvisioner]: name,
    });
    return await this.#binding.updateClaim(migratedClaim(noted));
  }

  async #provision(known: PersistentVolumeClaim, plugin: VolumePlugin, storageClass: StorageClass): Promise<void> {
    if (known.spec?.dataSource) {
      const message = `plugin ${JSON.stringify(plugin.name)} is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`;
      this.#fail(known, message);
      throw new Error(message);
    }
    const claim = await this.#noteProvisioner(known, storageClass.provisioner);
    const name = `pvc-${claim.metadata.uid}`;
    if (await this.#exists(name)) return;
    const node = this.#selectedNode(claim);
    let volume: PersistentVolume;
    try {
      volume = await plugin.provision({ name, claim, storageClass, ...(node && { node }) }, this.#signal);
    } catch (error) {
      await this.#reschedule(claim);
      const of = JSON.stringify(storageClass.metadata.name);
      this.#fail(claim, `Failed to provision volume with StorageClass ${of}: ${messageOf(error)}`);
      throw error;
    }
    await this.#create(this.#volumeFor(claim, volume, plugin), claim, plugin);
  }

  /** Asks the server, because the cache may not contain a volume that was created before. */
  async #exists(name: string): Promise<boolean> {
    try {
      await this.#context.clients.core.v1.persistentVolumes().get(name);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #selectedNode(claim: PersistentVolumeClaim): Node | undefined {
    const name = claim.metadata.annotations?.[annotations.selectedNode];
    if (name === undefined) return undefined;
    const node = this.#context.informers.core.v1.nodes.informer.indexer.getByKey(name);
    if (node) return node;
    const message = `node ${JSON.stringify(name)} not found`;
    this.#fail(claim, `Failed to get target node: ${message}`);
    throw new Error(message);
  }

  /** Removes the selected node, so that the scheduler selects another one. */
  async #reschedule(claim: PersistentVolumeClaim): Promise<void> {
    if (claim.metadata.annotations?.[annotations.selectedNode] === undefined) return;
    await this.#binding
      .updateClaim(withAnnotations(claim, { [annotations.selectedNode]: undefined }))
      .catch((error: unknown) => this.#context.logger.error('Failed to reschedule claim', error, { claim }));
  }

  #volumeFor(claim: PersistentVolumeClaim, volume: PersistentVolume, plugin: VolumePlugin): PersistentVolume {
    const { resource } = this.#context.clients.core.v1.persistentVolumeClaims();
    const marked = withAnnotations(volume, {
      [annotations.boundByController]: 'yes',
      [annotations.provisionedBy]: plugin.name,
    });
    const isDeleted = volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
    return {
      ...marked,
      metadata: { ...marked.metadata, ...(isDeleted && { finalizers: [deletionFinalizer] }) },
      spec: {
        ...marked.spec,
        claimRef: objectReference(claim, { kind: resource }),
        storageClassName: claimClass(claim) ?? '',
      },
    };
  }

  async #create(volume: PersistentVolume, claim: PersistentVolumeClaim, plugin: VolumePlugin): Promise<void> {
    try {
      await this.#repeatedly(async () => {
        const volumes = this.#context.clients.core.v1.persistentVolumes();
        await volumes.create(volume).catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      });
    } catch (error) {
      // The next run provisions the same volume again, by its name.
      if (this.#signal.aborted) throw error;
      const key = claimKey(claim);
      this.#fail(
        claim,
        `Error creating provisioned PV object for claim ${key}: ${messageOf(error)}. Deleting the volume.`,
      );
      await this.#repeatedly(() => plugin.delete(volume, this.#signal)).catch((failure: unknown) => {
        const message = `Error cleaning provisioned volume for claim ${key}: ${messageOf(failure)}. Please delete manually.`;
        this.#binding.claimEvent(claim, 'Warning', 'ProvisioningCleanupFailed', message);
      });
      return;
    }
    const message = `Successfully provisioned volume ${volume.metadata.name} using ${plugin.name}`;
    this.#binding.claimEvent(claim, 'Normal', 'ProvisioningSucceeded', message);
  }

  async #repeatedly(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === createAttempts || this.#signal.aborted) throw error;
        await this.#operations.sleep(createIntervalMs, this.#signal);
      }
    }
  }
}
