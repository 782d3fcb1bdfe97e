import type { ResourceSlice } from '@coxswain/api/resource/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { DeviceEntry } from './device-entry.ts';

/** The shared counters of a pool: amounts by counter, by counter set. */
type CounterSets = ReadonlyMap<string, ReadonlyMap<string, Quantity>>;

/** `driver/pool`. */
export const poolKey = ({ spec: { driver, pool } }: ResourceSlice): string => `${driver}/${pool.name}`;

/** The devices of a pool from the view of one node. */
export interface Pool {
  readonly key: string;
  /**
   * `incomplete`: the driver is updating the pool. `invalid`: its slices are inconsistent. Neither has usable devices.
   */
  readonly state: 'usable' | 'incomplete' | 'invalid';
  /** The devices of slices for this node. */
  readonly devices: readonly DeviceEntry[];
  /** The devices of other slices, which matter only for counters. */
  readonly otherDevices: readonly DeviceEntry[];
  readonly counterSets: CounterSets;
  readonly hasBindingConditions: boolean;
}

const noCounters: CounterSets = new Map();

export const unusablePool = (key: string, state: 'incomplete' | 'invalid'): Pool => ({
  key,
  state,
  devices: [],
  otherDevices: [],
  counterSets: noCounters,
  hasBindingConditions: false,
});

/** Builds and validates a complete pool from the slices for the node and the other slices. */
export function buildPool(
  key: string,
  forNode: readonly ResourceSlice[],
  others: readonly ResourceSlice[],
  entriesOf: (slice: ResourceSlice) => readonly DeviceEntry[],
): Pool {
  // Sorted by name, so that drivers can control by slice names which devices are tried first.
  const inOrder = forNode.toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
  const devices = inOrder.filter((slice) => !hasCounters(slice)).flatMap(entriesOf);
  const names = new Set(devices.map(({ device }) => device.name));
  const counterSets = countersOf(inOrder);
  const otherDevices = others.flatMap(entriesOf);
  // Slices with counters should have no devices. If one has, its counter uses must be valid all the same.
  const all = [...inOrder.flatMap(entriesOf), ...otherDevices];
  if (names.size < devices.length || !counterSets || !all.every((entry) => usesKnownCounters(entry, counterSets))) {
    return unusablePool(key, 'invalid');
  }
  return {
    key,
    state: 'usable',
    devices,
    otherDevices,
    counterSets,
    hasBindingConditions: devices.some(({ device }) => device.bindingConditions !== undefined),
  };
}

export const hasCounters = ({ spec }: ResourceSlice): boolean => (spec.sharedCounters?.length ?? 0) > 0;

/** Undefined when two sets have the same name. */
function countersOf(slices: readonly ResourceSlice[]): CounterSets | undefined {
  const sets = slices.flatMap(({ spec }) => spec.sharedCounters ?? []);
  if (sets.length === 0) return noCounters;
  const byName = new Map(
    sets.map(({ name, counters }) => [
      name,
      new Map(Object.entries(counters).map(([counter, { value }]) => [counter, Quantity.parse(value)])),
    ]),
  );
  return byName.size < sets.length ? undefined : byName;
}

/** The set must exist even if no counters of it are used. */
const usesKnownCounters = ({ device }: DeviceEntry, sets: CounterSets): boolean =>
  (device.consumesCounters ?? []).every(({ counterSet, counters }) => {
    const set = sets.get(counterSet);
    return set !== undefined && Object.keys(counters).every((counter) => set.has(counter));
  });
