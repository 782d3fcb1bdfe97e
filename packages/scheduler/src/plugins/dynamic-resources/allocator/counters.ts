import type { Quantity } from '@coxswain/apimachinery/quantity';
import type { AllocatedDevices } from './allocated-devices.ts';
import type { DeviceEntry } from './device-entry.ts';
import type { Pool } from './pool.ts';

const keyOf = (counterSet: string, counter: string): string => `${counterSet}/${counter}`;

/** The remaining amounts of a pool's counters, after those of allocated devices. */
export class AvailableCounters {
  readonly #left: ReadonlyMap<string, Quantity>;
  /** More is in use than the pool has, so no device can be allocated. */
  readonly #isOverdrawn: boolean;

  constructor({ devices, otherDevices, counterSets }: Pool, allocated: AllocatedDevices) {
    const left = new Map<string, Quantity>();
    for (const [set, counters] of counterSets) {
      for (const [counter, amount] of counters) left.set(keyOf(set, counter), amount);
    }
    for (const entry of [...devices, ...otherDevices]) {
      if (!allocated.isTaken(entry.id) && !allocated.isShared(entry.id)) continue;
      for (const { counterSet, counter, amount } of entry.counterUses) {
        const key = keyOf(counterSet, counter);
        const before = left.get(key);
        if (before) left.set(key, before.sub(amount));
      }
    }
    this.#left = left;
    this.#isOverdrawn = [...left.values()].some((amount) => amount.sign() < 0);
  }

  /**
   * Returns whether the counters suffice for the device in addition to `consumed`, and adds its use to `consumed` if
   * so.
   */
  take(entry: DeviceEntry, consumed: Map<string, Quantity>): boolean {
    if (this.#isOverdrawn) return false;
    const after = new Map<string, Quantity>();
    for (const { counterSet, counter, amount } of entry.counterUses) {
      const key = keyOf(counterSet, counter);
      const sum = (after.get(key) ?? consumed.get(key))?.add(amount) ?? amount;
      const left = this.#left.get(key);
      if (!left || sum.cmp(left) > 0) return false;
      after.set(key, sum);
    }
    for (const [key, sum] of after) consumed.set(key, sum);
    return true;
  }

  giveBack(entry: DeviceEntry, consumed: Map<string, Quantity>): void {
    for (const { counterSet, counter, amount } of entry.counterUses) {
      const key = keyOf(counterSet, counter);
      consumed.set(key, consumed.get(key)!.sub(amount));
    }
  }
}
