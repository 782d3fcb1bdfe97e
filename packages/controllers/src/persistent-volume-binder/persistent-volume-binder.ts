import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { deletedObject } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { PeriodicTask } from '../framework/controller/periodic-task.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { addClaimIndex } from '../framework/volumes/claim-pods.ts';
import { Binding } from './binding.ts';
import { Operations } from './operations.ts';
import { Provisioning } from './provisioning.ts';
import { Reclaiming } from './reclaiming.ts';
import { ClaimSync } from './sync-claim.ts';
import { VolumeSync } from './sync-volume.ts';
import { addBindingIndex, claimKey } from './volume-index.ts';
import type { VolumePlugin } from './volume-plugin.ts';

export interface PersistentVolumeBinderOptions {
  /** Provisioners that run in this process. Other provisioners are external and waited for. */
  readonly plugins?: readonly VolumePlugin[];
  /** `--pvclaimbinder-sync-period` */
  readonly syncPeriodMs?: number;
}

export function persistentVolumeBinderController(options: PersistentVolumeBinderOptions = {}): ControllerDefinition {
  return {
    name: 'persistentvolume-binder-controller',
    aliases: ['persistentvolume-binder'],
    create: (context) => new PersistentVolumeBinder(context, options),
  };
}

/** Reconciles `claim:namespace/name` and `volume:name` in one loop, and runs long operations in the background. */
class PersistentVolumeBinder implements Controller {
  readonly #context: ControllerContext;
  readonly #loop: ReconcileLoop;
  readonly #operations: Operations;
  readonly #resync: PeriodicTask;
  readonly #stop = new AbortController();

  constructor(context: ControllerContext, { plugins = [], syncPeriodMs = 15_000 }: PersistentVolumeBinderOptions) {
    this.#context = context;
    const { persistentVolumes, persistentVolumeClaims, pods, nodes } = context.informers.core.v1;
    const { storageClasses } = context.informers.storage.v1;
    const operations = new Operations(context.clock, (operation, error) =>
      context.logger.error('Operation on a volume failed', error, { operation }),
    );
    this.#operations = operations;
    context.activity.add(operations);
    const binding = new Binding(context);
    const parts = {
      binding,
      operations,
      plugins: new Map(plugins.map((plugin) => [plugin.name, plugin])),
      signal: this.#stop.signal,
    };
    const claimSync = new ClaimSync(context, binding, new Provisioning(context, parts));
    const volumeSync = new VolumeSync(context, {
      binding,
      reclaiming: new Reclaiming(context, parts),
      enqueueClaim: (key) => this.#enqueueClaim(key),
    });
    const synced = [persistentVolumes, persistentVolumeClaims, pods, nodes, storageClasses].map((it) => it.informer);
    this.#loop = new ReconcileLoop(context, {
      name: 'claims_and_volumes',
      // One worker: otherwise two claims could choose the same volume, or a claim and its volume could be written concurrently.
      workers: 1,
      synced,
      reconcile: async (item) => {
        const [kind, key = ''] = item.split(/:(.*)/, 2);
        const claim = kind === 'claim' ? binding.claims.get(key) : undefined;
        const volume = kind === 'volume' ? binding.volumes.get(key) : undefined;
        if (claim) await claimSync.sync(claim);
        if (volume) await volumeSync.sync(volume);
      },
    });
    this.#resync = new PeriodicTask(context, 'persistentvolume-binder', syncPeriodMs, async () =>
      this.#enqueueUnsettled(),
    );
    addBindingIndex(persistentVolumes.informer);
    addClaimIndex(pods.informer);
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    const onAbort = (): void => this.#stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    await Promise.all([this.#loop.run(signal), this.#resync.run(signal)]);
    onAbort();
    await this.#operations.finished();
  }

  #watch(): void {
    const { persistentVolumes, persistentVolumeClaims } = this.#context.informers.core.v1;
    persistentVolumeClaims.informer.addEventHandler({
      onAdd: (claim) => this.#enqueueClaim(claimKey(claim)),
      onUpdate: (_, claim) => this.#enqueueClaim(claimKey(claim)),
      onDelete: (deleted) => {
        const { metadata, spec } = deletedObject(deleted);
        this.#operations.forget(`provision-${metadata.namespace}/${metadata.name}[${metadata.uid}]`);
        this.#enqueueVolume(spec?.volumeName);
      },
    });
    persistentVolumes.informer.addEventHandler({
      onAdd: ({ metadata }) => this.#enqueueVolume(metadata.name),
      onUpdate: (_, { metadata }) => this.#enqueueVolume(metadata.name),
      onDelete: (deleted) => {
        const { metadata, spec } = deletedObject(deleted);
        for (const verb of ['delete', 'recycle']) this.#operations.forget(`${verb}-${metadata.name}[${metadata.uid}]`);
        if (spec?.claimRef) this.#enqueueClaim(`${spec.claimRef.namespace}/${spec.claimRef.name}`);
      },
    });
  }

  /**
   * Queues objects that may change state without an event of their own: by time, or because of another volume. Differs from
   * upstream: bound objects, of which there may be many, are not queued, because all of their changes cause events.
   */
  #enqueueUnsettled(): void {
    const { persistentVolumes, persistentVolumeClaims } = this.#context.informers.core.v1;
    const isWaiting = ({ status }: PersistentVolumeClaim): boolean => status?.phase !== 'Bound';
    const isLeaving = ({ status }: PersistentVolume): boolean =>
      status?.phase !== 'Bound' && status?.phase !== 'Available';
    for (const claim of persistentVolumeClaims.informer.indexer.values())
      if (isWaiting(claim)) this.#enqueueClaim(claimKey(claim));
    for (const volume of persistentVolumes.informer.indexer.values())
      if (isLeaving(volume)) this.#enqueueVolume(volume.metadata.name);
  }

  #enqueueClaim(key: string): void {
    this.#loop.queue.add(`claim:${key}`);
  }

  #enqueueVolume(name: string | undefined): void {
    if (name) this.#loop.queue.add(`volume:${name}`);
  }
}
