import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { StorageClass } from '@coxswain/api/storage/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { isPodTerminal } from '@coxswain/component-helpers';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { podsWithClaim } from '../framework/volumes/claim-pods.ts';
import { annotations, hasAnnotation } from './annotations.ts';
import type { Binding } from './binding.ts';
import { findMatch, isVolumeOf, mismatch } from './matching.ts';
import { migratedClaim } from './migration.ts';
import type { Provisioning } from './provisioning.ts';
import { claimClass } from './storage-classes.ts';
import { claimKey, volumesForClaim } from './volume-index.ts';

/** Reconciles claims: binds them to volumes or starts provisioning. */
export class ClaimSync {
  readonly #context: ControllerContext;
  readonly #binding: Binding;
  readonly #provisioning: Provisioning;

  constructor(context: ControllerContext, binding: Binding, provisioning: Provisioning) {
    this.#context = context;
    this.#binding = binding;
    this.#provisioning = provisioning;
  }

  async sync(known: PersistentVolumeClaim): Promise<void> {
    const migrated = migratedClaim(known);
    const claim = migrated === known ? known : await this.#binding.updateClaim(migrated);
    if (hasAnnotation(claim, annotations.bindCompleted)) await this.#syncBound(claim);
    else if (claim.spec?.volumeName) await this.#syncNamed(claim, claim.spec.volumeName);
    else await this.#syncUnbound(claim);
  }

  /** Handles a claim that was bound before: it keeps its volume, or is lost. */
  async #syncBound(claim: PersistentVolumeClaim): Promise<void> {
    const { volumeName } = claim.spec ?? {};
    if (!volumeName)
      return await this.#binding.loseClaim(
        claim,
        'ClaimLost',
        'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
      );
    const volume = this.#binding.volumes.get(volumeName);
    if (!volume)
      return await this.#binding.loseClaim(
        claim,
        'ClaimLost',
        'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
      );
    const { claimRef } = volume.spec ?? {};
    if (!claimRef || claimRef.uid === claim.metadata.uid) return await this.#binding.bind(volume, claim);
    await this.#binding.loseClaim(
      claim,
      'ClaimMisbound',
      'Two claims are bound to the same volume, this one is bound incorrectly',
    );
  }

  /** Handles a claim that names a volume. It waits for that volume without a time limit. */
  async #syncNamed(claim: PersistentVolumeClaim, volumeName: string): Promise<void> {
    const volume = this.#binding.volumes.get(volumeName);
    if (!volume) return await this.#wait(claim);
    if (isVolumeOf(volume, claim)) return await this.#binding.bind(volume, claim);
    const { claimRef } = volume.spec ?? {};
    const quoted = JSON.stringify(volumeName);
    if (!claimRef) {
      const problem = mismatch(volume, claim);
      if (problem === undefined) return await this.#binding.bind(volume, claim);
      const message = `Cannot bind to requested volume ${quoted}: ${problem}`;
      this.#binding.claimEvent(claim, 'Warning', 'VolumeMismatch', message);
      return await this.#wait(claim);
    }
    const message = `volume ${quoted} already bound to a different claim.`;
    this.#binding.claimEvent(claim, 'Warning', 'FailedBinding', message);
    if (!hasAnnotation(claim, annotations.boundByController)) return await this.#wait(claim);
    const owner = JSON.stringify(`${claimRef.namespace}/${claimRef.name}`);
    const key = JSON.stringify(claimKey(claim));
    throw new Error(`invalid binding of claim ${key} to volume ${quoted}: volume already claimed by ${owner}`);
  }

  async #syncUnbound(claim: PersistentVolumeClaim): Promise<void> {
    const delayBinding = this.#isBindingDelayed(claim);
    const volume = this.#match(claim, delayBinding);
    if (volume) return await this.#binding.bind(volume, claim);
    if (await this.#assignDefaultClass(claim)) return;
    if (delayBinding && !hasAnnotation(claim, annotations.selectedNode)) this.#tellWhatIsAwaited(claim);
    else if (claimClass(claim)) return this.#provisioning.start(claim);
    else
      this.#binding.claimEvent(
        claim,
        'Normal',
        'FailedBinding',
        'no persistent volumes available for this claim and no storage class is set',
      );
    await this.#wait(claim);
  }

  async #wait(claim: PersistentVolumeClaim): Promise<void> {
    await this.#binding.setClaimStatus(claim, 'Pending');
  }

  #match(claim: PersistentVolumeClaim, delayBinding: boolean): PersistentVolume | undefined {
    try {
      return findMatch(claim, volumesForClaim(this.#binding.volumes, claim), delayBinding);
    } catch (cause) {
      const reason = messageOf(cause);
      throw new Error(`error finding PV for claim ${JSON.stringify(claimKey(claim))}: ${reason}`, { cause });
    }
  }

  /** Whether binding waits until the scheduler has selected a node for the first pod. */
  #isBindingDelayed(claim: PersistentVolumeClaim): boolean {
    const name = claimClass(claim);
    const known = name && this.#classes.getByKey(name);
    if (!known) return false;
    if (known.volumeBindingMode === undefined)
      throw new Error(`VolumeBindingMode not set for StorageClass ${JSON.stringify(name)}`);
    return known.volumeBindingMode === 'WaitForFirstConsumer';
  }

  get #classes() {
    return this.#context.informers.storage.v1.storageClasses.informer.indexer;
  }

  /** Assigns the default class to a claim without a class. The claim may be older than the default class. */
  async #assignDefaultClass(claim: PersistentVolumeClaim): Promise<boolean> {
    if (claimClass(claim) !== undefined) return false;
    const name = defaultClass(this.#classes.values());
    if (name === undefined) return false;
    await this.#binding.updateClaim({ ...claim, spec: { ...claim.spec, storageClassName: name } });
    return true;
  }

  #tellWhatIsAwaited(claim: PersistentVolumeClaim): void {
    const pods = podsWithClaim(this.#context.informers.core.v1.pods.informer.indexer, claimKey(claim))
      .filter((pod) => !isPodTerminal(pod) && !pod.spec?.nodeName)
      .map(({ metadata }) => metadata.name);
    const [reason, message] =
      pods.length > 0
        ? ['WaitForPodScheduled', `waiting for ${pods.length > 1 ? 'pods' : 'pod'} ${pods.join(',')} to be scheduled`]
        : ['WaitForFirstConsumer', 'waiting for first consumer to be created before binding'];
    this.#binding.claimEvent(claim, 'Normal', reason, message);
  }
}

/** Returns the newest of the classes marked as default; of those created at the same time, the first by name. */
function defaultClass(classes: Iterable<StorageClass>): string | undefined {
  const isDefault = ({ metadata }: StorageClass): boolean =>
    metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ||
    metadata.annotations?.['storageclass.beta.kubernetes.io/is-default-class'] === 'true';
  const order = ({ metadata: a }: StorageClass, { metadata: b }: StorageClass): number =>
    Date.parse(b.creationTimestamp ?? '') - Date.parse(a.creationTimestamp ?? '') ||
    ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
  return [...classes].filter(isDefault).sort(order)[0]?.metadata.name;
}
