import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';
import type { CSIDriver } from '@coxswain/api/storage/v1';
import { deletedObject, type EventRecorder, metaNamespaceKey, type SharedIndexInformer } from '@coxswain/client';
import { isPodTerminal } from '@coxswain/component-helpers';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { addClaimIndex, claimNameOf, isClaimOfPod, podsWithClaim } from '../framework/volumes/claim-pods.ts';
import { inlineSources, type MountedVolume, mountedVolume, type VolumeSources } from './mounted-volume.ts';
import { labelsOfMounts } from './selinux-label.ts';
import { VolumeUsers } from './volume-users.ts';

/** Checks each pod once, and again when its volumes are bound or the mount support of their drivers changes. */
export class SELinuxWarningController implements Controller {
  readonly #recorder: EventRecorder;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #claims: SharedIndexInformer<PersistentVolumeClaim>;
  readonly #volumes: SharedIndexInformer<PersistentVolume>;
  readonly #drivers: SharedIndexInformer<CSIDriver>;
  readonly #loop: ReconcileLoop;
  /** The volumes of existing pods that have not terminated. */
  readonly #users = new VolumeUsers();

  constructor(context: ControllerContext) {
    const { core, storage } = context.informers;
    this.#recorder = context.recorder('selinux_warning');
    this.#pods = core.v1.pods.informer;
    this.#claims = core.v1.persistentVolumeClaims.informer;
    this.#volumes = core.v1.persistentVolumes.informer;
    this.#drivers = storage.v1.csiDrivers.informer;
    addClaimIndex(this.#pods);
    this.#loop = new ReconcileLoop(context, {
      name: 'selinux_warning',
      workers: 1,
      synced: [this.#pods, this.#claims, this.#volumes, this.#drivers],
      reconcile: async (key) => this.#checkPod(key),
    });
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watch(): void {
    this.#pods.addEventHandler({
      onAdd: (pod) => this.#loop.add(pod),
      onUpdate: (old, pod) => {
        // No other field that matters here can change.
        if (old.status?.phase !== pod.status?.phase && isPodTerminal(pod)) this.#loop.add(pod);
      },
      onDelete: (deleted) => this.#loop.add(deletedObject(deleted)),
    });
    const enqueueUsers = (claimKey: string): void => {
      for (const pod of podsWithClaim(this.#pods.indexer, claimKey)) this.#loop.add(pod);
    };
    // Differs from upstream, which does not wait for the binding but retries until it is complete.
    this.#claims.addEventHandler({
      onAdd: (claim) => enqueueUsers(metaNamespaceKey(claim)),
      onUpdate: (old, claim) => {
        if (isBound(old) !== isBound(claim)) enqueueUsers(metaNamespaceKey(claim));
      },
    });
    const onVolume = ({ spec }: PersistentVolume, old?: PersistentVolume): void => {
      const { namespace, name, uid } = spec?.claimRef ?? {};
      if (uid && old?.spec?.claimRef?.uid !== uid) enqueueUsers(`${namespace}/${name}`);
    };
    this.#volumes.addEventHandler({
      onAdd: (volume) => onVolume(volume),
      onUpdate: (old, volume) => onVolume(volume, old),
    });
    const onDriver = ({ metadata }: CSIDriver): void => {
      for (const key of this.#users.podsOfDriver(metadata.name ?? '')) this.#loop.queue.add(key);
    };
    this.#drivers.addEventHandler({
      onAdd: onDriver,
      onUpdate: (old, driver) => {
        if ((old.spec.seLinuxMount ?? false) !== (driver.spec.seLinuxMount ?? false)) onDriver(driver);
      },
      onDelete: (deleted) => onDriver(deletedObject(deleted)),
    });
  }

  #checkPod(key: string): void {
    const pod = this.#pods.indexer.getByKey(key);
    if (!pod || isPodTerminal(pod)) {
      this.#users.deletePod(key);
      return;
    }
    for (const [name, labels] of labelsOfMounts(pod)) {
      const sources = this.#sourcesOf(
        pod,
        pod.spec?.volumes?.find((each) => each.name === name),
      );
      const volume = sources && mountedVolume(sources);
      if (sources && labels.size > 1) {
        // Differs from upstream, which retries endlessly and records the event each time.
        const message = `Volume "${name}" is mounted twice with different SELinux labels inside this pod`;
        this.#recorder.event(pod, 'Warning', 'MultipleSELinuxLabels', message);
      } else if (volume) this.#checkVolume(pod, volume, [...labels][0] ?? '');
    }
  }

  #checkVolume(pod: Pod, volume: MountedVolume, containerLabel: string): void {
    const { csiDriver } = volume;
    const isLabelled = csiDriver === undefined || this.#drivers.indexer.getByKey(csiDriver)?.spec.seLinuxMount === true;
    const policy = pod.spec?.securityContext?.seLinuxChangePolicy ?? 'MountOption';
    const label = isLabelled && policy !== 'Recursive' ? containerLabel : '';
    const changePolicy = label === '' ? 'Recursive' : policy;
    for (const conflict of this.#users.set(volume, metaNamespaceKey(pod), { label, changePolicy })) {
      const told = this.#pods.indexer.getByKey(conflict.podKey);
      // One of the pods is deleted, so there is no conflict any more.
      if (!told) return;
      this.#recorder.event(told, 'Normal', conflict.reason, conflict.message);
    }
  }

  /** Returns the sources of the pod's volume, or undefined while its claim is not bound. */
  #sourcesOf(pod: Pod, volume: Volume | undefined): VolumeSources | undefined {
    if (!volume) return undefined;
    const claimName = claimNameOf(pod, volume);
    if (claimName === undefined) return inlineSources(volume);
    const claim = this.#claims.indexer.getByKey(`${pod.metadata.namespace}/${claimName}`);
    if (!claim || !isBound(claim) || (volume.ephemeral && !isClaimOfPod(pod, claim))) return undefined;
    const bound = this.#volumes.indexer.getByKey(claim.spec?.volumeName ?? '');
    return bound?.spec?.claimRef?.uid === claim.metadata.uid ? bound?.spec : undefined;
  }
}

const isBound = ({ spec, status }: PersistentVolumeClaim): boolean =>
  status?.phase === 'Bound' && spec?.volumeName !== undefined && spec.volumeName !== '';
