import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import { isAlreadyExists, isConflict, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import type { ClientSet, EventRecorder, ResourceDescription, SharedIndexInformer } from '@coxswain/client';
import type { OwnWrites } from '../framework/writes/own-writes.ts';
import { hasUnexpectedController, isStaleFor, ownersToSet } from './claim-retention.ts';
import { hasIdentity, ordinalOf, podNameOf, withIdentity } from './identity.ts';
import { claimNames, claimsFor, hasStorage, withStorage } from './volume-claims.ts';

interface StatefulPodControlOptions {
  readonly clients: ClientSet;
  readonly recorder: EventRecorder;
  readonly sets: ResourceDescription;
  readonly pods: SharedIndexInformer<Pod>;
  readonly claims: SharedIndexInformer<PersistentVolumeClaim>;
  readonly ownWrites: OwnWrites;
}

type Verb = 'Create' | 'Update' | 'Delete';

/** Creates, repairs and deletes the pods of StatefulSets and their claims, and records events on the set. */
export class StatefulPodControl {
  readonly #options: StatefulPodControlOptions;

  constructor(options: StatefulPodControlOptions) {
    this.#options = options;
  }

  /** Creates the pod's claims and then the pod. */
  async create(set: StatefulSet, pod: Pod): Promise<void> {
    try {
      await this.#createClaims(set, pod);
      const created = await this.#pods(set).create(pod);
      this.#wrote(set, this.#options.pods, created.metadata.resourceVersion);
    } catch (error) {
      // The pod exists but is not in the cache yet.
      if (!isAlreadyExists(error)) this.#tellOfPod(set, pod, 'Create', error);
      throw error;
    }
    await this.#setClaimOwners(set, pod);
    this.#tellOfPod(set, pod, 'Create');
  }

  /** Deletes the pod. A pod that does not exist is not an error. */
  async delete(set: StatefulSet, pod: Pod): Promise<void> {
    try {
      const deleted = await this.#pods(set).delete(pod.metadata.name ?? '');
      this.#wrote(set, this.#options.pods, deleted.metadata?.resourceVersion);
    } catch (error) {
      if (!isNotFound(error)) {
        this.#tellOfPod(set, pod, 'Delete', error);
        throw error;
      }
    }
    this.#tellOfPod(set, pod, 'Delete');
  }

  /** Whether the pod needs no repair. */
  isInOrder(set: StatefulSet, pod: Pod): boolean {
    return hasIdentity(set, pod) && hasStorage(set, pod, ordinalOf(pod)) && !this.#needsClaimOwners(set, pod);
  }

  /** Restores the pod's identity labels, volumes and claims. */
  async repair(set: StatefulSet, pod: Pod): Promise<void> {
    const ordinal = ordinalOf(pod);
    let mended = hasIdentity(set, pod) ? pod : withIdentity(set, pod, ordinal);
    try {
      if (!hasStorage(set, mended, ordinal)) {
        mended = withStorage(set, mended, ordinal);
        await this.#createClaims(set, mended);
      }
      if (this.#needsClaimOwners(set, mended)) await this.#updateClaimOwners(set, mended);
      if (mended !== pod) {
        const updated = await this.#pods(set).update(mended);
        this.#wrote(set, this.#options.pods, updated.metadata.resourceVersion);
      }
    } catch (error) {
      // The pod was changed by another client. It will be reconciled again, so no event is recorded.
      if (!isConflict(error)) this.#tellOfPod(set, mended, 'Update', error);
      throw error;
    }
    this.#tellOfPod(set, mended, 'Update');
  }

  /** Creates missing claims of a pending pod: they were deleted after the pod was created, or their deletion had not been observed then. */
  async createMissingClaims(set: StatefulSet, pod: Pod): Promise<void> {
    await this.#createClaims(set, pod);
    await this.#setClaimOwners(set, pod);
  }

  /** Sets the owners of the claims of a pod that will be deleted, so that they are deleted with it if the policy says so. */
  async prepareClaims(set: StatefulSet, pod: Pod): Promise<void> {
    if (this.#needsClaimOwners(set, pod)) await this.#updateClaimOwners(set, pod);
  }

  /** Whether a claim for this ordinal is owned by an earlier pod and will be deleted with it. */
  hasStaleClaim(set: StatefulSet, ordinal: number): boolean {
    return this.#knownClaims(set, ordinal).some((claim) => isStaleFor(claim, set, podNameOf(set, ordinal)));
  }

  async #createClaims(set: StatefulSet, pod: Pod): Promise<void> {
    const problems: Error[] = [];
    const { namespace = '' } = set.metadata;
    for (const claim of claimsFor(set, ordinalOf(pod))) {
      const { name = '' } = claim.metadata;
      const known = this.#claim(set, name);
      if (known?.metadata.deletionTimestamp) problems.push(new Error(`pvc ${name} is being deleted`));
      if (known) continue;
      try {
        const created = await this.#options.clients.core.v1.persistentVolumeClaims(namespace).create(claim);
        this.#wrote(set, this.#options.claims, created.metadata.resourceVersion);
        this.#tellOfClaim(set, pod, name);
      } catch (error) {
        problems.push(new Error(`failed to create PVC ${name}: ${messageOf(error)}`, { cause: error }));
        if (!isAlreadyExists(error)) this.#tellOfClaim(set, pod, name, error);
      }
    }
    const [first] = problems;
    if (problems.length > 1) throw new AggregateError(problems, `[${problems.map(messageOf).join(', ')}]`);
    if (first) throw first;
  }

  async #setClaimOwners(set: StatefulSet, pod: Pod): Promise<void> {
    try {
      await this.#updateClaimOwners(set, pod);
    } catch (error) {
      this.#tellOfPod(set, pod, 'Update', error);
      throw error;
    }
  }

  #needsClaimOwners(set: StatefulSet, pod: Pod): boolean {
    return this.#knownClaims(set, ordinalOf(pod)).some((claim) => ownersToSet(claim, set, pod));
  }

  /** Updates the owners of cached claims. Claims that the cache does not contain yet are updated later. */
  async #updateClaimOwners(set: StatefulSet, pod: Pod): Promise<void> {
    const { claims, clients, recorder, sets } = this.#options;
    const { namespace = '' } = set.metadata;
    for (const claim of this.#knownClaims(set, ordinalOf(pod))) {
      const { name } = claim.metadata;
      if (hasUnexpectedController(claim, set, pod)) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        recorder.event(set, 'Warning', 'ConflictingController', message, { kind: sets });
      }
      const ownerReferences = ownersToSet(claim, set, pod);
      if (!ownerReferences) continue;
      try {
        const owned = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
        const updated = await clients.core.v1.persistentVolumeClaims(namespace).update(owned);
        this.#wrote(set, claims, updated.metadata.resourceVersion);
      } catch (error) {
        const message = `could not update claim ${name} for delete policy ownerRefs: ${messageOf(error)}`;
        throw new Error(message, { cause: error });
      }
    }
  }

  #knownClaims(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
    return claimNames(set, ordinal).flatMap((name) => this.#claim(set, name) ?? []);
  }

  #claim({ metadata }: StatefulSet, name: string): PersistentVolumeClaim | undefined {
    return this.#options.claims.indexer.getByKey(`${metadata.namespace}/${name}`);
  }

  #pods({ metadata }: StatefulSet) {
    return this.#options.clients.core.v1.pods(metadata.namespace ?? '');
  }

  #wrote({ metadata }: StatefulSet, ...written: Written): void {
    this.#options.ownWrites.wrote(`${metadata.namespace}/${metadata.name}`, ...written);
  }

  #tellOfPod(set: StatefulSet, pod: Pod, verb: Verb, error?: unknown): void {
    const what = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    this.#tell(
      set,
      verb,
      error === undefined ? `${what} successful` : `${what} failed error: ${messageOf(error)}`,
      error,
    );
  }

  #tellOfClaim(set: StatefulSet, pod: Pod, claim: string, error?: unknown): void {
    const where = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    const message =
      error === undefined
        ? `Create Claim ${claim} ${where} success`
        : `Create Claim ${claim} for ${where} failed error: ${messageOf(error)}`;
    this.#tell(set, 'Create', message, error);
  }

  #tell(set: StatefulSet, verb: Verb, message: string, error: unknown): void {
    const { recorder, sets } = this.#options;
    const [type, outcome] =
      error === undefined ? (['Normal', 'Successful'] as const) : (['Warning', 'Failed'] as const);
    recorder.event(set, type, `${outcome}${verb}`, message, { kind: sets });
  }
}

type Written = OwnWrites['wrote'] extends (ownerKey: string, ...written: infer W) => void ? W : never;
