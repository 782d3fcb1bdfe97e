import type { ResourceSlice } from '@coxswain/api/resource/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { DeviceEntry } from './device-entry.ts';

/** Counters of a pool that its devices share: amounts by counter, by counter set. */
type CounterSets = ReadonlyMap<string, ReadonlyMap<string, Quantity>>;

/** `driver/pool`. */
export const poolKey = ({ spec: { driver, pool } }: ResourceSlice): string => `${driver}/${pool.name}`;

/** The devices of a pool as one node sees them. */
export interface Pool {
  readonly key: string;
  /** `incomplete`: the driver is busy with it. `invalid`: it contradicts itself. Neither has devices for anybody. */
  readonly state: 'usable' | 'incomplete' | 'invalid';
  /** Those of slices for this node. */
  readonly devices: readonly DeviceEntry[];
  /** Those of the other slices: they count for counters only. */
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

/** A complete pool of these slices for the node, and others that are not for it; checked. */
export function buildPool(
  key: string,
  forNode: readonly ResourceSlice[],
  others: readonly ResourceSlice[],
  entriesOf: (slice: ResourceSlice) => readonly DeviceEntry[],
): Pool {
  // By name, so that drivers decide by naming which devices are taken first.
  const inOrder = forNode.toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
  const devices = inOrder.filter((slice) => !hasCounters(slice)).flatMap(entriesOf);
  const names = new Set(devices.map(({ device }) => device.name));
  const counterSets = countersOf(inOrder);
  const otherDevices = others.flatMap(entriesOf);
  // Slices with counters have no devices; should one have any, their use of counters must make sense all the same.
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

/** Undefined when two sets have one name. */
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

/** A set must be there even if nothing is taken of it. */
const usesKnownCounters = ({ device }: DeviceEntry, sets: CounterSets): boolean =>
  (device.consumesCounters ?? []).every(({ counterSet, counters }) => {
    const set = sets.get(counterSet);
    return set !== undefined && Object.keys(counters).every((counter) => set.has(counter));
  });
