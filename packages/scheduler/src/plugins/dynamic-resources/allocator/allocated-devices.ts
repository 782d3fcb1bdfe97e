import type { AllocationResult } from '@coxswain/api/resource/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { Amounts } from './capacity.ts';
import { deviceId } from './device-entry.ts';

/** What claims have already. */
export interface AllocatedDevices {
  /** Whether a claim has the device for itself. */
  isTaken(id: string): boolean;
  /** Whether claims share it. */
  isShared(id: string): boolean;
  /** What claims have of a device that they share; undefined when they have nothing that is measured. */
  consumed(id: string): Amounts | undefined;
}

/** What an allocation has of a device. Devices for administrators are not taken. */
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

/** Adds amounts to what is there. */
export function addAmounts(sum: Map<string, Quantity>, amounts: Iterable<readonly [string, Quantity | string]>): void {
  for (const [name, amount] of amounts) {
    const quantity = typeof amount === 'string' ? Quantity.parse(amount) : amount;
    sum.set(name, sum.get(name)?.add(quantity) ?? quantity);
  }
}
