import type { AllocationResult, ResourceClaim } from '@coxswain/api/resource/v1';
import type { Quantity } from '@coxswain/apimachinery/quantity';
import { type Clock, deletedObject, type SharedIndexInformer } from '@coxswain/client';
import { type AllocatedDevices, addAmounts, type DeviceUse, usesOf } from './allocator/allocated-devices.ts';
import { extendedResourceAnnotation } from './extended-resources.ts';
import { keyOfClaim } from './pod-claims.ts';

const deviceIndex = 'allocatedDevice';
const extendedIndex = 'extendedResourceClaimOf';

/** How long a written claim is assumed that the informer does not have. After this time it must have been deleted. */
const assumedForMs = 120_000;

interface Assumed {
  readonly claim: ResourceClaim;
  readonly until: number;
}

/**
 * All claims, including allocations that the scheduler is about to write or has just written. Allocated devices count as taken at once,
 * before the informer has the claim.
 */
export class ClaimTracker {
  readonly #informer: SharedIndexInformer<ResourceClaim>;
  readonly #clock: Clock;
  /** By UID: claims allocated in this process but not written yet. */
  readonly #inFlight = new Map<string, ResourceClaim>();
  /** By key: written claims that are newer than the informer's. */
  readonly #assumed = new Map<string, Assumed>();

  constructor(informer: SharedIndexInformer<ResourceClaim>, clock: Clock) {
    this.#informer = informer;
    this.#clock = clock;
    informer.addIndexers({
      [deviceIndex]: ({ status }) => usesOf(status?.allocation).map(({ id }) => id),
      [extendedIndex]: ({ metadata }) =>
        metadata.annotations?.[extendedResourceAnnotation] === 'true'
          ? (metadata.ownerReferences ?? []).flatMap(({ controller, uid }) => (controller ? [uid] : []))
          : [],
    });
    informer.addEventHandler({
      onDelete: (deleted) => {
        const claim = deletedObject(deleted);
        this.#assumed.delete(keyOfClaim(claim));
      },
    });
  }

  /** Returns the newest known version of the claim. */
  get(key: string): ResourceClaim | undefined {
    const stored = this.#informer.indexer.getByKey(key);
    const assumed = this.#assumed.get(key)?.claim;
    return assumed && isNewer(assumed, stored) ? assumed : stored;
  }

  /** Returns the claim that was created for the extended resources of a pod. */
  extendedClaimOf(podUid: string): ResourceClaim | undefined {
    const [claim] = this.#informer.indexer.byIndex(extendedIndex, podUid);
    return claim && this.get(keyOfClaim(claim));
  }

  /** Returns the allocation of a claim that is not written yet. */
  pendingAllocation(uid: string): AllocationResult | undefined {
    return this.#inFlight.get(uid)?.status?.allocation;
  }

  /** Records an allocation that is not written yet. The UID may exist only in this process. */
  addPending(uid: string, claim: ResourceClaim): void {
    this.#inFlight.set(uid, claim);
  }

  /** Returns whether it was recorded. */
  removePending(uid: string): boolean {
    return this.#inFlight.delete(uid);
  }

  /** Records a claim that was just written. */
  assume(claim: ResourceClaim): void {
    this.#assumed.set(keyOfClaim(claim), { claim, until: this.#clock.monotonic() + assumedForMs });
  }

  restore(key: string): void {
    this.#assumed.delete(key);
  }

  /** Returns the devices allocated to any claim as of now. */
  allocatedDevices(): AllocatedDevices {
    this.#forgetKnown();
    const { indexer } = this.#informer;
    const ahead = new Map<string, DeviceUse[]>();
    const claimsAhead = [...this.#inFlight.values(), ...Array.from(this.#assumed.values(), ({ claim }) => claim)];
    for (const use of claimsAhead.flatMap(({ status }) => usesOf(status?.allocation))) {
      const uses = ahead.get(use.id);
      if (uses) uses.push(use);
      else ahead.set(use.id, [use]);
    }
    const usesIn = (id: string): DeviceUse[] => [
      ...(ahead.get(id) ?? []),
      ...indexer.byIndex(deviceIndex, id).flatMap((claim) => {
        // Claims that are newer than the informer's are counted already.
        if (this.#assumed.has(keyOfClaim(claim))) return [];
        return usesOf(claim.status?.allocation).filter((use) => use.id === id);
      }),
    ];
    return {
      isTaken: (id) => usesIn(id).some(({ shareID }) => shareID === undefined),
      isShared: (id) => usesIn(id).some(({ shareID }) => shareID !== undefined),
      consumed: (id) => {
        let sum: Map<string, Quantity> | undefined;
        for (const { shareID, consumedCapacity } of usesIn(id)) {
          if (shareID === undefined || !consumedCapacity) continue;
          sum ??= new Map();
          addAmounts(sum, Object.entries(consumedCapacity));
        }
        return sum;
      },
    };
  }

  #forgetKnown(): void {
    const now = this.#clock.monotonic();
    for (const [key, { claim, until }] of this.#assumed) {
      const stored = this.#informer.indexer.getByKey(key);
      if (stored ? !isNewer(claim, stored) : now >= until) this.#assumed.delete(key);
    }
  }
}

/** Whether the assumed claim is newer than the stored one. False when the stored one is another claim of the same name. */
function isNewer(assumed: ResourceClaim, stored: ResourceClaim | undefined): boolean {
  if (!stored) return true;
  if (stored.metadata.uid !== assumed.metadata.uid) return false;
  return BigInt(assumed.metadata.resourceVersion ?? 0) > BigInt(stored.metadata.resourceVersion ?? 0);
}
