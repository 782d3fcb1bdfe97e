import type { ResourceClaim, ResourceSlice } from '@coxswain/api/resource/v1';
import type {
  PoolStatus,
  ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from '@coxswain/api/resource/v1alpha3';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { currentSlices } from '../framework/devices/current-slices.ts';

const defaultLimit = 100;
const longestErrorBytes = 256;

/** Returns the status for a request: the devices of a driver's pools and how many are allocated. `now` is in milliseconds. */
export function requestStatus(
  { driver, poolName, limit = defaultLimit }: ResourcePoolStatusRequestSpec,
  slices: readonly ResourceSlice[],
  claims: readonly ResourceClaim[],
  now: number,
): ResourcePoolStatusRequestStatus {
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    const { name } = slice.spec.pool;
    if (slice.spec.driver !== driver || (poolName && name !== poolName)) continue;
    byPool.set(name, [...(byPool.get(name) ?? []), slice]);
  }
  const allocated = allocatedDevices(claims, driver);
  const all = [...byPool]
    .map(([name, members]) => poolStatus(name, members, allocated.get(name) ?? 0))
    .sort((a, b) => (a.poolName < b.poolName ? -1 : 1));
  const pools = all.slice(0, limit);
  return {
    poolCount: all.length,
    ...(pools.length > 0 && { pools }),
    conditions: [
      {
        type: 'Complete',
        status: 'True',
        lastTransitionTime: timeFromDate(new Date(now)),
        reason: 'CalculationComplete',
        message: `Calculated status for ${pools.length} pools`,
      },
    ],
  };
}

/** Computes the status of one pool. Only slices of the latest generation count. */
function poolStatus(poolName: string, slices: readonly ResourceSlice[], allocated: number): PoolStatus {
  const current = currentSlices(slices);
  const { driver, nodeName, pool } = current[0]!.spec;
  const { generation } = pool;
  const isOfOneNode = nodeName && current.every(({ spec }) => spec.nodeName === nodeName);
  const common = { driver, poolName, generation, ...(isOfOneNode && { nodeName }) };
  const [seen, expected] = [current.length, pool.resourceSliceCount];
  if (seen < expected) {
    const error = `pool ${driver}/${poolName} is incomplete: observed ${seen}/${expected} slices at generation ${generation}`;
    return { ...common, validationError: error.slice(0, longestErrorBytes) };
  }
  const totalDevices = current.reduce((sum, { spec }) => sum + (spec.devices?.length ?? 0), 0);
  return {
    ...common,
    resourceSliceCount: seen,
    totalDevices,
    allocatedDevices: allocated,
    availableDevices: Math.max(0, totalDevices - allocated),
    // Upstream does not consider the health of devices yet.
    unavailableDevices: 0,
  };
}

/** Returns the number of allocated devices by pool. */
function allocatedDevices(claims: readonly ResourceClaim[], driver: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of claims) {
    for (const result of status?.allocation?.devices?.results ?? []) {
      if (result.driver === driver) counts.set(result.pool, (counts.get(result.pool) ?? 0) + 1);
    }
  }
  return counts;
}
