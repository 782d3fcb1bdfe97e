import type { Pod } from '@coxswain/api/core/v1';
import type { AllocationResult, ResourceClaim, ResourceClaimStatus } from '@coxswain/api/resource/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { type ClientSet, type Clock, retryOnConflict } from '@coxswain/client';
import { keyOfClaim } from './pod-claims.ts';

/** Keeps the devices of a claim from being given to others while they are in use. */
export const claimFinalizer = 'resource.kubernetes.io/delete-protection';

/** Writes what the scheduler decides about claims. */
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

  /** Gives the claim its allocation, where it is to have one, and to the pod. Throws when somebody else was faster. */
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
      // It must not be deleted from the moment on that it has devices.
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

  /** Takes the devices from a claim that nobody uses. */
  async deallocate(claim: ResourceClaim, signal: AbortSignal): Promise<void> {
    await this.#claims(claim).updateStatus({ ...claim, status: {} }, { signal });
  }

  /** The claim is not for this pod any more; others may still use it. */
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

  /** Creates a claim that was only in this process. */
  async create({ metadata, spec }: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim> {
    const { name: _, uid: __, ...rest } = metadata;
    return explained(`create claim for extended resources ${metadata.namespace}/`, () =>
      this.#clients.resource.v1.resourceClaims(metadata.namespace ?? '').create({ metadata: rest, spec }, { signal }),
    );
  }

  /** Deletes the claim, though it has devices. */
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

  /** Tells the pod which claim has the devices that stand for its extended resources. */
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

  /** Tries it with the claim as it is known, and again as it is then when somebody else has written it. */
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
