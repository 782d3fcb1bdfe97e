import type { Node } from '@coxswain/api/core/v1';
import type { CapacityRequestPolicy, Device, ResourceSlice } from '@coxswain/api/resource/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { nodeTest } from './node-test.ts';

/** The cluster-wide ID of a device: `driver/pool/device`. */
export const deviceId = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;

/** A capacity of a device, and the policy for requesting parts of it. */
export interface DeviceCapacityEntry {
  readonly name: string;
  readonly value: Quantity;
  readonly policy: ParsedPolicy | undefined;
}

export interface ParsedPolicy {
  readonly default: Quantity | undefined;
  readonly validValues: readonly Quantity[] | undefined;
  readonly range: { readonly min?: Quantity; readonly max?: Quantity; readonly step?: Quantity } | undefined;
}

/** How much of a counter of its pool a device uses. */
export interface CounterUse {
  readonly counterSet: string;
  readonly counter: string;
  readonly amount: Quantity;
}

/** A device of a slice, with parsed values that are needed repeatedly. */
export class DeviceEntry {
  readonly id: string;
  readonly device: Device;
  readonly slice: ResourceSlice;
  /** Whether several claims can have shares of it. */
  readonly isShareable: boolean;
  #capacities: readonly DeviceCapacityEntry[] | undefined;
  #hasRequestPolicy: boolean | undefined;
  #counterUses: readonly CounterUse[] | undefined;
  #isForNode: ((node: Node) => boolean) | undefined;

  constructor(slice: ResourceSlice, device: Device) {
    const { driver, pool } = slice.spec;
    this.id = deviceId(driver, pool.name, device.name);
    this.device = device;
    this.slice = slice;
    this.isShareable = device.allowMultipleAllocations ?? false;
  }

  get capacities(): readonly DeviceCapacityEntry[] {
    this.#capacities ??= Object.entries(this.device.capacity ?? {}).map(([name, { value, requestPolicy }]) => ({
      name,
      value: Quantity.parse(value),
      policy: requestPolicy && parsedPolicy(requestPolicy),
    }));
    return this.#capacities;
  }

  /** Whether requests are rounded or have a default by a request policy. */
  get hasRequestPolicy(): boolean {
    this.#hasRequestPolicy ??= this.capacities.some(({ policy }) => policy);
    return this.#hasRequestPolicy;
  }

  get counterUses(): readonly CounterUse[] {
    this.#counterUses ??= (this.device.consumesCounters ?? []).flatMap(({ counterSet, counters }) =>
      Object.entries(counters).map(([counter, { value }]) => ({ counterSet, counter, amount: Quantity.parse(value) })),
    );
    return this.#counterUses;
  }

  /**
   * Whether the node can use the device, when the slice has per-device node selection. Throws an Error for an invalid
   * node selector.
   */
  isForNode(node: Node): boolean {
    if (!this.slice.spec.perDeviceNodeSelection) return true;
    this.#isForNode ??= nodeTest(this.device);
    return this.#isForNode(node);
  }
}

function parsedPolicy({ default: preset, validValues, validRange }: CapacityRequestPolicy): ParsedPolicy {
  const parse = (text: string | null | undefined): Quantity | undefined =>
    text === undefined || text === null ? undefined : Quantity.parse(text);
  const { min, max, step } = validRange ?? {};
  return {
    default: parse(preset),
    validValues: validValues?.map((value) => Quantity.parse(value)),
    range: validRange && {
      ...(min !== undefined && { min: Quantity.parse(min) }),
      ...(max !== undefined && { max: Quantity.parse(max) }),
      ...(step !== undefined && { step: Quantity.parse(step) }),
    },
  };
}
