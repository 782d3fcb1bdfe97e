import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '@coxswain/api/resource/v1';
import type { DeviceTaintRule } from '@coxswain/api/resource/v1beta2';
import { currentSlices } from '../framework/devices/current-slices.ts';

/** When the users of a claim have to be evicted, and because of which rules. Without rules, the taint is on a device itself. */
export interface Eviction {
  readonly atMs: number;
  readonly rules: ReadonlySet<DeviceTaintRule>;
}

/** The fields that identify a device. */
export type DeviceName = Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>;

/** The slices and rules that taints come from. */
export interface DeviceTaintSources {
  /** Returns all slices of a pool, including those of outdated generations. */
  slicesOf(driver: string, pool: string): readonly ResourceSlice[];
  readonly rules: readonly DeviceTaintRule[];
}

/** Combines two evictions: the earlier time and all rules. */
export function earlier(one: Eviction | undefined, other: Eviction | undefined): Eviction | undefined {
  if (!one || !other) return one ?? other;
  return { atMs: Math.min(one.atMs, other.atMs), rules: new Set([...one.rules, ...other.rules]) };
}

/** Returns when the users of the claim have to be evicted, or undefined if they need not be. */
export function claimEviction({ status }: ResourceClaim, sources: DeviceTaintSources): Eviction | undefined {
  let eviction: Eviction | undefined;
  for (const device of status?.allocation?.devices?.results ?? []) {
    for (const taint of ownTaints(device, sources)) {
      eviction = earlier(eviction, taintEviction(taint, [], device.tolerations));
    }
    for (const rule of sources.rules) {
      if (!isSelected(rule, device)) continue;
      eviction = earlier(eviction, taintEviction(rule.spec.taint, [rule], device.tolerations));
    }
  }
  return eviction;
}

export function isSelected(
  { spec: { deviceSelector } }: DeviceTaintRule,
  { driver, pool, device }: DeviceName,
): boolean {
  const isOf = (wanted: string | undefined, name: string): boolean => wanted === undefined || wanted === name;
  if (!deviceSelector) return false;
  const { driver: wantedDriver, pool: wantedPool, device: wantedDevice } = deviceSelector;
  return isOf(wantedDriver, driver) && isOf(wantedPool, pool) && isOf(wantedDevice, device);
}

function ownTaints({ driver, pool, device }: DeviceName, { slicesOf }: DeviceTaintSources): DeviceTaint[] {
  const devices = currentSlices(slicesOf(driver, pool)).flatMap(({ spec }) => spec.devices ?? []);
  return devices.find(({ name }) => name === device)?.taints ?? [];
}

/** Returns undefined when the taint does not evict or is tolerated without a time limit. */
function taintEviction(
  taint: DeviceTaint,
  rules: readonly DeviceTaintRule[],
  tolerations: readonly DeviceToleration[] | null | undefined,
): Eviction | undefined {
  const since = Date.parse(taint.timeAdded ?? '');
  if (taint.effect !== 'NoExecute' || Number.isNaN(since)) return undefined;
  const seconds = (tolerations ?? []).filter((each) => isTolerated(taint, each)).map((each) => each.tolerationSeconds);
  if (seconds.includes(undefined)) return undefined;
  const least = Math.min(...seconds.map((each) => Number(each ?? 0)));
  return { atMs: since + (seconds.length > 0 ? Math.max(0, least) * 1000 : 0), rules: new Set(rules) };
}

/** Unlike for nodes, a toleration must have the effect NoExecute; an empty effect does not match. */
function isTolerated(taint: DeviceTaint, { key, operator = 'Equal', value = '', effect }: DeviceToleration): boolean {
  if (effect !== 'NoExecute' || (key && key !== taint.key)) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
