import type { AllocationResult, ResourceClaim } from '@coxswain/api/resource/v1';
import type { Quantity } from '@coxswain/apimachinery/quantity';
import { type Clock, deletedObject, type SharedIndexInformer } from '@coxswain/client';
import { type AllocatedDevices, addAmounts, type DeviceUse, usesOf } from './allocator/allocated-devices.ts';
import { extendedResourceAnnotation } from './extended-resources.ts';
import { keyOfClaim } from './pod-claims.ts';

const deviceIndex = 'allocatedDevice';
const extendedIndex = 'extendedResourceClaimOf';

/** An informer that has not heard of a written claim for so long never will: it is gone again. */
const assumedForMs = 120_000;

interface Assumed {
  readonly claim: ResourceClaim;
  readonly until: number;
}

/**
 * All claims, with what the scheduler is about to write or has just written: devices that it has given away are gone at once,
 * whenever the informer hears of it.
 */
export class ClaimTracker {
  readonly #informer: SharedIndexInformer<ResourceClaim>;
  readonly #clock: Clock;
  /** By uid: allocated in this process, and not written yet. */
  readonly #inFlight = new Map<string, ResourceClaim>();
  /** By key: written, and newer than what the informer knows. */
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

  /** The newest that is known of it. */
  get(key: string): ResourceClaim | undefined {
    const stored = this.#informer.indexer.getByKey(key);
    const assumed = this.#assumed.get(key)?.claim;
    return assumed && isNewer(assumed, stored) ? assumed : stored;
  }

  /** The claim that was made for the extended resources of a pod. */
  extendedClaimOf(podUid: string): ResourceClaim | undefined {
    const [claim] = this.#informer.indexer.byIndex(extendedIndex, podUid);
    return claim && this.get(keyOfClaim(claim));
  }

  /** Where the allocation of a claim is on its way to the server. */
  pendingAllocation(uid: string): AllocationResult | undefined {
    return this.#inFlight.get(uid)?.status?.allocation;
  }

  /** The devices are given away; the claim's uid may be one that only this process knows. */
  addPending(uid: string, claim: ResourceClaim): void {
    this.#inFlight.set(uid, claim);
  }

  /** Whether it was there. */
  removePending(uid: string): boolean {
    return this.#inFlight.delete(uid);
  }

  /** Has been written so. */
  assume(claim: ResourceClaim): void {
    this.#assumed.set(keyOfClaim(claim), { claim, until: this.#clock.monotonic() + assumedForMs });
  }

  restore(key: string): void {
    this.#assumed.delete(key);
  }

  /** What all claims have at this moment. */
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
        // What is ahead of the informer has been counted.
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

/** Another object of that name has taken the place of the one that was written. */
function isNewer(assumed: ResourceClaim, stored: ResourceClaim | undefined): boolean {
  if (!stored) return true;
  if (stored.metadata.uid !== assumed.metadata.uid) return false;
  return BigInt(assumed.metadata.resourceVersion ?? 0) > BigInt(stored.metadata.resourceVersion ?? 0);
}
