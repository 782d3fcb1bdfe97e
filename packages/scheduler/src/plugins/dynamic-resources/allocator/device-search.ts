import type { DeviceTaint, DeviceToleration } from '@coxswain/api/resource/v1';
import type { Quantity } from '@coxswain/apimachinery/quantity';
import { type AllocatedDevices, addAmounts } from './allocated-devices.ts';
import { type Amounts, consumedCapacity, hasCapacity } from './capacity.ts';
import type { Constraint } from './constraint.ts';
import type { AvailableCounters } from './counters.ts';
import type { DeviceEntry } from './device-entry.ts';
import { poolKey } from './pool.ts';
import type { PreparedOption } from './request-option.ts';

/** The most devices that a claim can have. */
export const maxDevicesOfClaim = 32;

/** A claim, and the ways to meet each of its requests. */
export interface ClaimToAllocate {
  /** `namespace/name`. */
  readonly key: string;
  readonly requests: readonly (readonly PreparedOption[])[];
  readonly constraints: readonly Constraint[];
}

/** A device that a claim is to have. */
export interface ChosenDevice {
  readonly option: PreparedOption;
  readonly entry: DeviceEntry;
  /** Set for a device that is shared. */
  readonly consumedCapacity: Amounts | undefined;
}

export interface SearchContext {
  /** In the order in which they are tried. */
  readonly devices: readonly DeviceEntry[];
  readonly allocated: AllocatedDevices;
  counters(poolKey: string): AvailableCounters;
  /** Throws when selectors fail. */
  isSelectable(option: PreparedOption, entry: DeviceEntry): boolean;
  /** Called at every step; throws when there is no time left. */
  onStep(): void;
}

/**
 * `too many`: whatever is chosen for what comes before, the claim would have more devices than it can. So there is no use in
 * other choices, unless one of them takes fewer devices.
 */
type Outcome = 'found' | 'none' | 'too many';

/** Tries devices for one request after the other until all claims have what they ask for; the first way that works is taken. */
export class DeviceSearch {
  /** By claim. */
  readonly chosen: ChosenDevice[][];
  readonly #context: SearchContext;
  readonly #claims: readonly ClaimToAllocate[];
  /** For which claims (by index) a device that is not shared was chosen. */
  readonly #taken = new Map<string, Set<number>>();
  /** What was chosen of devices that are shared. One that is here is in use, even if nothing of it is consumed. */
  readonly #shares = new Map<string, { count: number; readonly amounts: Map<string, Quantity> }>();
  readonly #counterUse = new Map<string, Map<string, Quantity>>();

  constructor(claims: readonly ClaimToAllocate[], context: SearchContext) {
    this.#claims = claims;
    this.#context = context;
    this.chosen = claims.map(() => []);
  }

  /** Whether there is a way. Throws when a claim makes none possible. */
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
      // What comes next may take fewer devices when this claim has others.
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
   * Finds the device number `count` of an option and all after it. Which of them comes first does not matter, so each is looked
   * for behind the one before.
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

  /** Chooses the device and goes on; takes the choice back unless that leads to the end. Undefined when it cannot be chosen. */
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

  /** Whether the device has what the option wants of it. */
  #hasCapacity({ capacity }: PreparedOption, entry: DeviceEntry): boolean {
    const { allocated } = this.#context;
    return hasCapacity(entry, capacity, [allocated.consumed(entry.id), this.#shares.get(entry.id)?.amounts]);
  }

  /** Administrators may have devices that others have. */
  #isInUse({ claimIndex, option }: Place, { id }: DeviceEntry): boolean {
    const taken = this.#taken.get(id);
    if (option.adminAccess) return taken?.has(claimIndex) ?? false;
    return (taken !== undefined && taken.size > 0) || this.#context.allocated.isTaken(id);
  }

  #isTakenFor(place: Place, entry: DeviceEntry): boolean {
    return !(place.option.adminAccess && entry.isShareable) && this.#isInUse(place, entry);
  }

  /** Takes what the device needs of its pool's counters; undefined when there is too little. */
  #takeCounters(entry: DeviceEntry): (() => void) | undefined {
    const { allocated } = this.#context;
    const { id, device, slice } = entry;
    // Of a device that is shared already, the first has taken it.
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
  // Other effects, also those that are not known, keep nobody away.
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
