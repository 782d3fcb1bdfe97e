import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '@coxswain/api/resource/v1';
import type { DeviceTaintRule } from '@coxswain/api/resource/v1beta2';
import { currentSlices } from '../framework/devices/current-slices.ts';

/** When whoever uses something has to go, and because of which rules; those alone, when no device has a taint of its own. */
export interface Eviction {
  readonly atMs: number;
  readonly rules: ReadonlySet<DeviceTaintRule>;
}

/** A device by the names that make it one. */
export type DeviceName = Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>;

/** Where devices are looked up. */
export interface DeviceTaintSources {
  /** All slices of a pool, of whatever generation. */
  slicesOf(driver: string, pool: string): readonly ResourceSlice[];
  readonly rules: readonly DeviceTaintRule[];
}

/** What is earlier counts, for all the reasons that there are. */
export function earlier(one: Eviction | undefined, other: Eviction | undefined): Eviction | undefined {
  if (!one || !other) return one ?? other;
  return { atMs: Math.min(one.atMs, other.atMs), rules: new Set([...one.rules, ...other.rules]) };
}

/** When those who use the claim have to go; undefined when they may stay. */
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

/** Undefined when the taint drives nobody away, or is tolerated for ever. */
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

/** Only tolerations of just this effect let a pod stay. */
function isTolerated(taint: DeviceTaint, { key, operator = 'Equal', value = '', effect }: DeviceToleration): boolean {
  if (effect !== 'NoExecute' || (key && key !== taint.key)) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
