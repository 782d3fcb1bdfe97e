import type { AllocationResult } from '@coxswain/api/resource/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { Amounts } from './capacity.ts';
import { deviceId } from './device-entry.ts';

/** The devices that are allocated to claims. */
export interface AllocatedDevices {
  /** Whether a claim has the device exclusively. */
  isTaken(id: string): boolean;
  /** Whether the device is allocated to claims in shares. */
  isShared(id: string): boolean;
  /** The consumed capacity of a shared device; undefined when no capacity is consumed. */
  consumed(id: string): Amounts | undefined;
}

/** The use of a device by an allocation. Allocations with admin access do not count. */
export interface DeviceUse {
  readonly id: string;
  /** Undefined for a device that is not shared. */
  readonly shareID: string | undefined;
  readonly consumedCapacity: Readonly<Record<string, string>> | undefined;
}

export function usesOf(allocation: AllocationResult | undefined): DeviceUse[] {
  return (allocation?.devices?.results ?? [])
    .filter(({ adminAccess }) => !adminAccess)
    .map(({ driver, pool, device, shareID, consumedCapacity }) => ({
      id: deviceId(driver, pool, device),
      shareID,
      consumedCapacity,
    }));
}

/** Adds amounts to `sum` by name. */
export function addAmounts(sum: Map<string, Quantity>, amounts: Iterable<readonly [string, Quantity | string]>): void {
  for (const [name, amount] of amounts) {
    const quantity = typeof amount === 'string' ? Quantity.parse(amount) : amount;
    sum.set(name, sum.get(name)?.add(quantity) ?? quantity);
  }
}
