import type { DeviceTaint, DeviceToleration } from '@coxswain/api/resource/v1';
import type { Quantity } from '@coxswain/apimachinery/quantity';
import { type AllocatedDevices, addAmounts } from './allocated-devices.ts';
import { type Amounts, consumedCapacity, hasCapacity } from './capacity.ts';
import type { Constraint } from './constraint.ts';
import type { AvailableCounters } from './counters.ts';
import type { DeviceEntry } from './device-entry.ts';
import { poolKey } from './pool.ts';
import type { PreparedOption } from './request-option.ts';

/** The maximum number of devices of a claim. */
export const maxDevicesOfClaim = 32;

/** A claim, with the options for each of its requests. */
export interface ClaimToAllocate {
  /** `namespace/name`. */
  readonly key: string;
  readonly requests: readonly (readonly PreparedOption[])[];
  readonly constraints: readonly Constraint[];
}

/** A device chosen for a claim. */
export interface ChosenDevice {
  readonly option: PreparedOption;
  readonly entry: DeviceEntry;
  /** Set for shared devices. */
  readonly consumedCapacity: Amounts | undefined;
}

export interface SearchContext {
  /** In search order. */
  readonly devices: readonly DeviceEntry[];
  readonly allocated: AllocatedDevices;
  counters(poolKey: string): AvailableCounters;
  /** Throws an Error when a selector fails. */
  isSelectable(option: PreparedOption, entry: DeviceEntry): boolean;
  /** Called at every step; throws to end the search. */
  onStep(): void;
}

/**
 * `too many`: the claim would exceed its maximum number of devices whatever is chosen for earlier requests. Other choices are pointless
 * then, unless an option uses fewer devices.
 */
type Outcome = 'found' | 'none' | 'too many';

/** Depth-first search with backtracking: chooses devices request by request until all claims are satisfied. The first solution is used. */
export class DeviceSearch {
  /** The chosen devices by claim. */
  readonly chosen: ChosenDevice[][];
  readonly #context: SearchContext;
  readonly #claims: readonly ClaimToAllocate[];
  /** By device ID: the indexes of claims for which a device is chosen that is not shared. */
  readonly #taken = new Map<string, Set<number>>();
  /** By device ID: the chosen shares. A device with an entry is in use, even if it consumes no capacity. */
  readonly #shares = new Map<string, { count: number; readonly amounts: Map<string, Quantity> }>();
  readonly #counterUse = new Map<string, Map<string, Quantity>>();

  constructor(claims: readonly ClaimToAllocate[], context: SearchContext) {
    this.#claims = claims;
    this.#context = context;
    this.chosen = claims.map(() => []);
  }

  /** Returns whether a solution was found. Throws an Error when a claim cannot be satisfied at all. */
  run(): boolean {
    return this.#claim(0) === 'found';
  }

  #claim(claimIndex: number): Outcome {
    return claimIndex < this.#claims.length ? this.#request(claimIndex, 0) : 'found';
  }

  #request(claimIndex: number, requestIndex: number): Outcome {
    this.#context.onStep();
    const options = this.#claims[claimIndex]!.requests[requestIndex];
    if (!options) {
      // Other choices for this claim may reduce what the next claims need, so the search continues.
      const outcome = this.#claim(claimIndex + 1);
      return outcome === 'too many' ? 'none' : outcome;
    }
    let areAllTooMany = true;
    for (const option of options) {
      const outcome = this.#devices({ claimIndex, requestIndex, option }, 0, 0);
      if (outcome === 'found') return outcome;
      areAllTooMany &&= outcome === 'too many';
    }
    return areAllTooMany ? 'too many' : 'none';
  }

  /**
   * Chooses the device number `count` of an option and all further ones. The order of devices within an option does not matter, so each is
   * searched after the previous one.
   */
  #devices(place: Place, count: number, from: number): Outcome {
    this.#context.onStep();
    const { claimIndex, requestIndex, option } = place;
    const { allDevices, numDevices } = option;
    if (allDevices?.length === 0) return 'none';
    if (count >= numDevices) return this.#request(claimIndex, requestIndex + 1);
    if (this.chosen[claimIndex]!.length + numDevices - count > maxDevicesOfClaim) return 'too many';
    if (allDevices) return this.#with(place, allDevices[count]!, () => this.#devices(place, count + 1, 0)) ?? 'none';
    const { devices } = this.#context;
    for (let at = from; at < devices.length; at++) {
      const entry = devices[at]!;
      if (this.#isInUse(place, entry) || !this.#context.isSelectable(option, entry)) continue;
      if (!this.#hasCapacity(option, entry)) continue;
      const outcome = this.#with(place, entry, () => this.#devices(place, count + 1, at + 1));
      if (outcome && outcome !== 'none') return outcome;
    }
    return 'none';
  }

  /** Chooses the device and continues; undoes the choice unless the search succeeds. Undefined when the device cannot be chosen. */
  #with(place: Place, entry: DeviceEntry, goOn: () => Outcome): Outcome | undefined {
    const giveBack = this.#choose(place, entry);
    if (!giveBack) return undefined;
    const outcome = goOn();
    if (outcome !== 'found') giveBack();
    return outcome;
  }

  #choose(place: Place, entry: DeviceEntry): (() => void) | undefined {
    const { claimIndex, option } = place;
    const { key, constraints } = this.#claims[claimIndex]!;
    if (this.#isTakenFor(place, entry) || hasUntoleratedTaint(entry, option.tolerations)) return undefined;
    const counterUse = this.#takeCounters(entry);
    if (!counterUse) return undefined;
    const refusing = constraints.findIndex((constraint) => !constraint.add(option, entry));
    const added = refusing < 0 ? constraints : constraints.slice(0, refusing);
    const giveBack = (): void => {
      for (const constraint of added) constraint.remove(option);
      counterUse();
    };
    if (refusing >= 0 || !this.#hasCapacity(option, entry)) {
      giveBack();
      if (refusing < 0 || !option.allDevices) return undefined;
      throw new Error(
        `claim ${key}, request ${option.name}: cannot add device ${entry.id} because a claim constraint would not be satisfied`,
      );
    }
    const consumed = entry.isShareable ? consumedCapacity(entry, option.capacity) : undefined;
    if (consumed) this.#share(entry, consumed);
    else this.#claimsWith(entry).add(claimIndex);
    this.chosen[claimIndex]!.push({ option, entry, consumedCapacity: consumed });
    return () => {
      this.chosen[claimIndex]!.pop();
      if (consumed) this.#unshare(entry, consumed);
      else this.#claimsWith(entry).delete(claimIndex);
      giveBack();
    };
  }

  /** Whether the device has the capacity that the option requests. */
  #hasCapacity({ capacity }: PreparedOption, entry: DeviceEntry): boolean {
    const { allocated } = this.#context;
    return hasCapacity(entry, capacity, [allocated.consumed(entry.id), this.#shares.get(entry.id)?.amounts]);
  }

  /** With admin access, devices of other claims can be used. */
  #isInUse({ claimIndex, option }: Place, { id }: DeviceEntry): boolean {
    const taken = this.#taken.get(id);
    if (option.adminAccess) return taken?.has(claimIndex) ?? false;
    return (taken !== undefined && taken.size > 0) || this.#context.allocated.isTaken(id);
  }

  #isTakenFor(place: Place, entry: DeviceEntry): boolean {
    return !(place.option.adminAccess && entry.isShareable) && this.#isInUse(place, entry);
  }

  /** Takes the device's share of its pool's counters; undefined when they do not suffice. */
  #takeCounters(entry: DeviceEntry): (() => void) | undefined {
    const { allocated } = this.#context;
    const { id, device, slice } = entry;
    // For a device that is shared already, the first share has taken the counters.
    const isTaken = entry.isShareable && (allocated.consumed(id) !== undefined || this.#shares.has(id));
    if (isTaken || !device.consumesCounters?.length) return () => {};
    const pool = poolKey(slice);
    const counters = this.#context.counters(pool);
    const consumed = this.#counterUse.get(pool) ?? new Map<string, Quantity>();
    this.#counterUse.set(pool, consumed);
    return counters.take(entry, consumed) ? () => counters.giveBack(entry, consumed) : undefined;
  }

  #claimsWith({ id }: DeviceEntry): Set<number> {
    const known = this.#taken.get(id) ?? new Set();
    this.#taken.set(id, known);
    return known;
  }

  #share({ id }: DeviceEntry, consumed: Amounts): void {
    const share = this.#shares.get(id) ?? { count: 0, amounts: new Map<string, Quantity>() };
    share.count++;
    addAmounts(share.amounts, consumed);
    this.#shares.set(id, share);
  }

  #unshare({ id }: DeviceEntry, consumed: Amounts): void {
    const share = this.#shares.get(id)!;
    if (--share.count === 0) this.#shares.delete(id);
    else
      addAmounts(
        share.amounts,
        Array.from(consumed, ([name, amount]) => [name, amount.neg()]),
      );
  }
}

/** An option of a request of a claim. */
interface Place {
  readonly claimIndex: number;
  readonly requestIndex: number;
  readonly option: PreparedOption;
}

function hasUntoleratedTaint(
  { device }: DeviceEntry,
  tolerations: readonly DeviceToleration[] | null | undefined,
): boolean {
  // Other effects, including unknown ones, do not prevent allocation.
  return (device.taints ?? []).some(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !tolerations?.some((toleration) => tolerates(toleration, taint)),
  );
}

function tolerates({ effect, key, operator = 'Equal', value }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || (operator === 'Equal' && (value ?? '') === (taint.value ?? ''));
}
