import type { Variant } from '../dbus/index.ts';
import type { CgroupResources } from './cgroup-manager.ts';
import { cpuWeightOf } from './cpu-weight.ts';

/** A property of a unit and its value in the type that systemd expects. */
export type UnitProperty = readonly [name: string, value: Variant];

export interface SlicePropertiesOptions {
  readonly cgroupVersion: 1 | 2;
  readonly systemdVersion: number;
}

const infinity = 2n ** 64n - 1n;
const defaultPeriod = 100_000;

/** systemd keeps quotas as whole percents of a CPU: microseconds per second. */
const quotaStep = 10_000;

const memoryFiles = new Map([
  ['memory.high', 'MemoryHigh'],
  ['memory.low', 'MemoryLow'],
  ['memory.min', 'MemoryMin'],
  ['memory.max', 'MemoryMax'],
  ['memory.swap.max', 'MemorySwapMax'],
]);

/**
 * The properties of a slice for limits, as far as systemd has them; the others are only written to the files of the cgroup.
 *
 * `cpuQuota` is the quota to write there: rounded up as systemd does, so that the two agree.
 */
export function sliceProperties(
  resources: CgroupResources,
  { cgroupVersion, systemdVersion }: SlicePropertiesOptions,
): { readonly properties: readonly UnitProperty[]; readonly cpuQuota: number | undefined } {
  const { memory, cpuShares, cpuQuota = 0, cpuPeriod = 0, pids, cpuset, unified } = resources;
  const properties: UnitProperty[] = [];
  const add = (name: string, value: bigint): void => void properties.push([name, { signature: 't', value }]);
  if (memory) {
    add(cgroupVersion === 1 ? 'MemoryLimit' : 'MemoryMax', memory < 0 ? infinity : BigInt(memory));
    if (cgroupVersion === 2 && memory === -1) add('MemorySwapMax', infinity);
  }
  if (cpuShares) {
    if (cgroupVersion === 1) add('CPUShares', BigInt(cpuShares));
    else add('CPUWeight', BigInt(cpuWeightOf(cpuShares)));
  }
  let roundedQuota: number | undefined;
  if (cpuPeriod && systemdVersion >= 242) add('CPUQuotaPeriodUSec', BigInt(cpuPeriod));
  if (cpuQuota > 0) {
    const period = cpuPeriod || defaultPeriod;
    const exact = Math.floor((cpuQuota * 1_000_000) / period);
    const perSecond = Math.ceil(exact / quotaStep) * quotaStep;
    if (perSecond !== exact) roundedQuota = Math.floor((perSecond * period) / 1_000_000);
    add('CPUQuotaPerSecUSec', BigInt(perSecond));
  } else if (cpuQuota !== 0 || cpuPeriod) add('CPUQuotaPerSecUSec', infinity);
  if (pids !== undefined) add('TasksMax', pids < 0 ? infinity : BigInt(Math.max(pids, 1)));
  if (cpuset && systemdVersion >= 244) properties.push(['AllowedCPUs', { signature: 'ay', value: cpuBits(cpuset) }]);
  if (cgroupVersion === 2) {
    for (const [file, value] of Object.entries(unified ?? {})) {
      const name = memoryFiles.get(file);
      if (name) add(name, value.trim() === 'max' ? infinity : BigInt(value.trim()));
    }
  }
  return { properties, cpuQuota: roundedQuota };
}

/** A bit for each CPU of a list such as `0-2,5`, the first CPU in the lowest bit of the first byte. */
function cpuBits(cpuset: string): number[] {
  const bits: number[] = [];
  for (const range of cpuset.split(',')) {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    if (!Number.isInteger(first) || !Number.isInteger(last) || first > last || last > 8192) {
      throw new Error(`invalid list of CPUs "${cpuset}"`);
    }
    for (let cpu = first; cpu <= last; cpu++) {
      while (bits.length <= cpu >> 3) bits.push(0);
      bits[cpu >> 3] = (bits[cpu >> 3] ?? 0) | (1 << (cpu & 7));
    }
  }
  return bits;
}
