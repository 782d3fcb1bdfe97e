import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
  PersistentVolumeStatus,
} from '@coxswain/api/core/v1';
import { type EventRecorder, type EventType, objectReference } from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { LatestObjects } from '../framework/writes/latest-objects.ts';
import { annotations, hasAnnotation, withAnnotations } from './annotations.ts';
import { claimStatus } from './claim-status.ts';
import { isVolumeOf } from './matching.ts';

type ClaimPhase = NonNullable<PersistentVolumeClaimStatus['phase']>;
type VolumePhase = NonNullable<PersistentVolumeStatus['phase']>;

/** The writes that bind claims and volumes. Each is omitted when it would change nothing. */
export class Binding {
  readonly claims: LatestObjects<PersistentVolumeClaim>;
  readonly volumes: LatestObjects<PersistentVolume>;
  readonly #clients: ControllerContext['clients'];
  readonly #recorder: EventRecorder;

  constructor({ clients, informers, recorder }: ControllerContext) {
    this.#clients = clients;
    this.#recorder = recorder('persistentvolume-controller');
    this.claims = new LatestObjects(informers.core.v1.persistentVolumeClaims.informer);
    this.volumes = new LatestObjects(informers.core.v1.persistentVolumes.informer);
  }

  /**
   * Binds the volume and the claim in four writes. An interrupted binding is completed by a later call. The volume is reserved
   * first, so that no other claim is bound to it.
   */
  async bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const reserved = await this.#bindVolume(volume, claim);
    const bound = await this.setVolumePhase(reserved, 'Bound');
    const withVolume = await this.#bindClaim(claim, bound);
    await this.setClaimStatus(withVolume, 'Bound', bound);
  }

  async #bindVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<PersistentVolume> {
    const { kind } = this.#claimClient(claim).resource;
    const isReserved = isVolumeOf(volume, claim);
    const hasUid = isReserved && volume.spec?.claimRef?.uid === claim.metadata.uid;
    const isMarked = isReserved || hasAnnotation(volume, annotations.boundByController);
    if (hasUid && isMarked) return volume;
    const marked = isMarked ? volume : withAnnotations(volume, { [annotations.boundByController]: 'yes' });
    const claimRef = hasUid
      ? volume.spec?.claimRef
      : objectReference(claim, { kind: { group: '', version: 'v1', kind } });
    return await this.updateVolume({ ...marked, spec: { ...marked.spec, ...(claimRef && { claimRef }) } });
  }

  async #bindClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<PersistentVolumeClaim> {
    const { name: volumeName = '' } = volume.metadata;
    const isNamed = claim.spec?.volumeName === volumeName;
    if (isNamed && hasAnnotation(claim, annotations.bindCompleted)) return claim;
    const marked = withAnnotations(claim, {
      ...(!isNamed && { [annotations.boundByController]: 'yes' }),
      [annotations.bindCompleted]: 'yes',
    });
    return await this.updateClaim({ ...marked, spec: { ...marked.spec, volumeName } });
  }

  /** Makes the volume available again, either to all claims, or to the claim that a user reserved it for by name. */
  async unbind(volume: PersistentVolume): Promise<void> {
    const { claimRef, ...spec } = volume.spec ?? {};
    const { uid, ...named } = claimRef ?? {};
    const free = hasAnnotation(volume, annotations.boundByController)
      ? { ...withAnnotations(volume, { [annotations.boundByController]: undefined }), spec }
      : { ...volume, spec: { ...spec, ...(claimRef && { claimRef: named }) } };
    await this.setVolumePhase(await this.updateVolume(free), 'Available');
  }

  async setVolumePhase(volume: PersistentVolume, phase: VolumePhase, message = ''): Promise<PersistentVolume> {
    if (volume.status?.phase === phase) return volume;
    const status = { ...volume.status, phase, message };
    return this.volumes.wrote(await this.#clients.core.v1.persistentVolumes().updateStatus({ ...volume, status }));
  }

  /** Sets the phase Failed and records an event, unless the volume has failed already. */
  async failVolume(volume: PersistentVolume, reason: string, message: string): Promise<void> {
    if (volume.status?.phase === 'Failed') return;
    this.volumeEvent(await this.setVolumePhase(volume, 'Failed', message), 'Warning', reason, message);
  }

  /** Sets the status of a claim with this volume or without a volume. */
  async setClaimStatus(
    claim: PersistentVolumeClaim,
    phase: ClaimPhase,
    volume?: PersistentVolume,
  ): Promise<PersistentVolumeClaim> {
    const status = claimStatus(claim, phase, volume);
    if (!status || status === claim.status) return claim;
    return this.claims.wrote(await this.#claimClient(claim).updateStatus({ ...claim, status }));
  }

  /** Sets the phase Lost and records an event, unless the claim is lost already. */
  async loseClaim(claim: PersistentVolumeClaim, reason: string, message: string): Promise<void> {
    if (claim.status?.phase === 'Lost') return;
    this.claimEvent(await this.setClaimStatus(claim, 'Lost'), 'Warning', reason, message);
  }

  async updateVolume(volume: PersistentVolume): Promise<PersistentVolume> {
    return this.volumes.wrote(await this.#clients.core.v1.persistentVolumes().update(volume));
  }

  async updateClaim(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    return this.claims.wrote(await this.#claimClient(claim).update(claim));
  }

  claimEvent(claim: PersistentVolumeClaim, type: EventType, reason: string, message: string): void {
    this.#recorder.event(claim, type, reason, message, { kind: this.#claimClient(claim).resource });
  }

  volumeEvent(volume: PersistentVolume, type: EventType, reason: string, message: string): void {
    this.#recorder.event(volume, type, reason, message, { kind: this.#clients.core.v1.persistentVolumes().resource });
  }

  #claimClient({ metadata }: PersistentVolumeClaim) {
    return this.#clients.core.v1.persistentVolumeClaims(metadata.namespace ?? '');
  }
}
