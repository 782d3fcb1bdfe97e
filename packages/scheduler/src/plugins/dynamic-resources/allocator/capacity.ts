import { Quantity } from '@coxswain/apimachinery/quantity';
import type { DeviceCapacityEntry, DeviceEntry, ParsedPolicy } from './device-entry.ts';

/** Amounts by name of the capacity. */
export type Amounts = ReadonlyMap<string, Quantity>;

/**
 * Returns what a request consumes of each capacity of the device: the requested amount, rounded according to the request policy, or the
 * default, or everything.
 */
export function consumedCapacity(entry: DeviceEntry, requested: Amounts): Map<string, Quantity> {
  return new Map(entry.capacities.map((capacity) => [capacity.name, consumed(capacity, requested.get(capacity.name))]));
}

/** Whether the device has the requested capacities, besides what is already consumed. False when the device lacks a requested capacity. */
export function hasCapacity(entry: DeviceEntry, requested: Amounts, taken: readonly (Amounts | undefined)[]): boolean {
  if (requested.size === 0 && !entry.isShareable && !entry.hasRequestPolicy && taken.every(isNothing)) return true;
  for (const name of requested.keys()) if (!entry.capacities.some((capacity) => capacity.name === name)) return false;
  return entry.capacities.every((capacity) => {
    const { name, value, policy } = capacity;
    let total = consumed(capacity, requested.get(name));
    if (policy && violates(policy, total)) return false;
    for (const amounts of taken) {
      const amount = amounts?.get(name);
      if (amount) total = total.add(amount);
    }
    return total.cmp(value) <= 0;
  });
}

function consumed({ value, policy }: DeviceCapacityEntry, requested: Quantity | undefined): Quantity {
  if (!requested) return policy?.default ?? value;
  const { range, validValues } = policy ?? {};
  if (range?.min) return inRange(requested, range.min, range.step);
  return validValues?.find((valid) => requested.cmp(valid) <= 0) ?? requested;
}

/** At least `min`, rounded up to a whole number of steps above it. */
function inRange(requested: Quantity, min: Quantity, step: Quantity | undefined): Quantity {
  if (requested.cmp(min) < 0) return min;
  if (!step) return requested;
  const from = whole(min);
  const by = whole(step);
  const steps = (whole(requested) - from + by - 1n) / by;
  return Quantity.of(from + steps * by, 'BinarySI');
}

function violates({ default: preset, validValues, range }: ParsedPolicy, amount: Quantity): boolean {
  if (preset?.equals(amount)) return false;
  if (range) {
    if (range.max && amount.cmp(range.max) > 0) return true;
    return range.step !== undefined && (whole(amount) - whole(range.min ?? amount)) % whole(range.step) !== 0n;
  }
  return validValues !== undefined && validValues.length > 0 && !validValues.some((valid) => valid.equals(amount));
}

const isNothing = (amounts: Amounts | undefined): boolean => amounts === undefined;

/** In whole units, rounded up. */
const whole = (quantity: Quantity): bigint => quantity.scaledValue(0);
