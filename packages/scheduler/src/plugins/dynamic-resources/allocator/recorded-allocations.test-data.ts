import type { Node } from '@coxswain/api/core/v1';
import type { AllocationResult, DeviceClass, ResourceClaim, ResourceSlice } from '@coxswain/api/resource/v1';
import type { Quantity } from '@coxswain/apimachinery/quantity';
import { type AllocatedDevices, addAmounts } from './allocated-devices.ts';
import { Allocator } from './allocator.ts';
import type { DeviceMatches } from './device-matches.ts';
import { SliceIndex } from './slice-index.ts';

/** Input and result of upstream's allocator. */
export interface RecordedAllocation {
  readonly node: Node;
  readonly slices: readonly ResourceSlice[];
  readonly classes: readonly DeviceClass[];
  readonly claims: readonly ResourceClaim[];
  /** Devices allocated to other claims. */
  readonly taken?: readonly string[];
  readonly shared?: readonly { readonly id: string; readonly capacity?: Readonly<Record<string, string>> }[];
  readonly result?: readonly AllocationResult[];
  readonly error?: string;
}

export type Answer = Pick<RecordedAllocation, 'result' | 'error'>;

/** The result of our allocator. */
export function answer(recorded: RecordedAllocation, matches: DeviceMatches): Answer {
  const { node, slices, classes, claims } = recorded;
  const allocator = new Allocator({
    slices: new SliceIndex(slices),
    allocated: allocatedDevices(recorded),
    deviceClass: (name) => classes.find(({ metadata }) => metadata.name === name),
    matches: (expression, entry) => matches.matches(expression, entry),
    newShareID: () => 'share',
  });
  try {
    const result = allocator.allocate(node, claims);
    return result ? { result: result() } : {};
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

export function allocatedDevices({ taken = [], shared = [] }: Partial<RecordedAllocation>): AllocatedDevices {
  const consumed = new Map<string, Map<string, Quantity>>();
  for (const { id, capacity } of shared) {
    if (!capacity) continue;
    const amounts = consumed.get(id) ?? new Map<string, Quantity>();
    addAmounts(amounts, Object.entries(capacity));
    consumed.set(id, amounts);
  }
  return {
    isTaken: (id) => taken.includes(id),
    isShared: (id) => shared.some((each) => each.id === id),
    consumed: (id) => consumed.get(id),
  };
}
