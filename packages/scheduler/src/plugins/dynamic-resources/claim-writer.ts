import type { Pod } from '@coxswain/api/core/v1';
import type { AllocationResult, ResourceClaim, ResourceClaimStatus } from '@coxswain/api/resource/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { type ClientSet, type Clock, retryOnConflict } from '@coxswain/client';
import { keyOfClaim } from './pod-claims.ts';

/** Prevents the deletion of a claim while its devices are allocated. */
export const claimFinalizer = 'resource.kubernetes.io/delete-protection';

/** Writes the scheduler's decisions about claims. */
export class ClaimWriter {
  readonly #clients: ClientSet;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor({
    clients,
    clock,
    random,
  }: { readonly clients: ClientSet; readonly clock: Clock; readonly random: () => number }) {
    this.#clients = clients;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Writes the allocation, if any, and reserves the claim for the pod. Throws an Error when another client has changed
   * the claim in conflict with that.
   */
  async bind(
    claim: ResourceClaim,
    pod: Pod,
    allocation: AllocationResult | undefined,
    signal: AbortSignal,
  ): Promise<ResourceClaim> {
    const key = keyOfClaim(claim);
    return this.#withLatest(claim, signal, async (latest) => {
      if (latest.metadata.deletionTimestamp) throw new Error(`claim ${key} got deleted in the meantime`);
      if (allocation && latest.status?.allocation)
        throw new Error(`claim ${key} got allocated elsewhere in the meantime`);
      // The finalizer must be set before the allocation.
      const kept = allocation ? await this.#withFinalizer(latest, signal) : latest;
      const given = allocation ?? kept.status?.allocation;
      if (!given) throw new Error(`claim ${key} got deallocated elsewhere in the meantime`);
      const { name = '', uid = '' } = pod.metadata;
      const status: ResourceClaimStatus = {
        ...kept.status,
        allocation: { allocationTimestamp: timeFromDate(new Date(this.#clock.now())), ...given },
        reservedFor: [...(kept.status?.reservedFor ?? []), { resource: 'pods', name, uid }],
      };
      const what = allocation ? 'allocation and reservation' : 'reservation';
      return explained(`add ${what} to claim ${key}`, () =>
        this.#claims(kept).updateStatus({ ...kept, status }, { signal }),
      );
    });
  }

  /** Removes the allocation of an unused claim. */
  async deallocate(claim: ResourceClaim, signal: AbortSignal): Promise<void> {
    await this.#claims(claim).updateStatus({ ...claim, status: {} }, { signal });
  }

  /** Removes the pod's reservation; other pods may still use the claim. */
  unreserve(claim: ResourceClaim, pod: Pod): Promise<ResourceClaim> {
    return this.#claims(claim).patch(
      claim.metadata.name ?? '',
      'strategic-merge',
      {
        metadata: { uid: claim.metadata.uid ?? '' },
        status: { reservedFor: [{ $patch: 'delete', uid: pod.metadata.uid ?? '' }] },
      },
      { subresource: 'status' },
    );
  }

  /** Creates a claim that existed only in this process. */
  async create({ metadata, spec }: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim> {
    const { name: _, uid: __, ...rest } = metadata;
    return explained(`create claim for extended resources ${metadata.namespace}/`, () =>
      this.#clients.resource.v1.resourceClaims(metadata.namespace ?? '').create({ metadata: rest, spec }, { signal }),
    );
  }

  /** Removes the finalizer and deletes the claim. */
  async delete(claim: ResourceClaim, signal?: AbortSignal): Promise<void> {
    const options = signal ? { signal } : {};
    const key = keyOfClaim(claim);
    await this.#withLatest(claim, signal, (latest) => {
      const finalizers = latest.metadata.finalizers?.filter((finalizer) => finalizer !== claimFinalizer) ?? [];
      return explained(`update resourceclaim ${key}`, () =>
        this.#claims(latest).update({ ...latest, metadata: { ...latest.metadata, finalizers } }, options),
      );
    });
    await this.#claims(claim).delete(claim.metadata.name ?? '', options);
  }

  /** Writes to the pod's status which claim has the devices for its extended resources. */
  async tellPod(
    { metadata }: Pod,
    extendedResourceClaimStatus: NonNullable<NonNullable<Pod['status']>['extendedResourceClaimStatus']>,
    signal: AbortSignal,
  ): Promise<void> {
    const { name = '', namespace = '' } = metadata;
    await explained(`update pod ${namespace}/${name} ExtendedResourceClaimStatus`, () =>
      this.#clients.core.v1
        .pods(namespace)
        .patchStatus(name, 'strategic-merge', { status: { extendedResourceClaimStatus } }, { signal }),
    );
  }

  async #withFinalizer(claim: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim> {
    const finalizers = claim.metadata.finalizers ?? [];
    if (finalizers.includes(claimFinalizer)) return claim;
    const metadata = { ...claim.metadata, finalizers: [...finalizers, claimFinalizer] };
    return explained(`add finalizer to claim ${keyOfClaim(claim)}`, () =>
      this.#claims(claim).update({ ...claim, metadata }, { signal }),
    );
  }

  /** Runs `write` with the given claim, and after a conflict again with the current one. */
  #withLatest<T>(
    claim: ResourceClaim,
    signal: AbortSignal | undefined,
    write: (latest: ResourceClaim) => Promise<T>,
  ): Promise<T> {
    let isFirst = true;
    const options = signal ? { signal } : {};
    return retryOnConflict(
      async () => {
        if (isFirst) {
          isFirst = false;
          return write(claim);
        }
        const latest = await explained(`get updated claim ${keyOfClaim(claim)} after conflict`, () =>
          this.#claims(claim).get(claim.metadata.name ?? '', options),
        );
        return write(latest);
      },
      { clock: this.#clock, random: this.#random, ...options },
    );
  }

  #claims({ metadata }: ResourceClaim) {
    return this.#clients.resource.v1.resourceClaims(metadata.namespace ?? '');
  }
}

async function explained<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new Error(`${what}: ${messageOf(cause)}`, { cause });
  }
}
