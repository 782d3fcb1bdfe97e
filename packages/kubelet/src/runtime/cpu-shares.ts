const minShares = 2;
const maxShares = 262_144;
const sharesPerCpu = 1024;
const minQuotaPeriod = 1000;

/** The lowest valid value. A request of 0 or nearly 0 has these shares. */
export const minCpuShares = minShares;

/** The lowest CPU limit that has an effect, in thousandths of a CPU. Lower limits are enforced as this one. */
export const minMilliCpuLimit = 10;

/** Converts a request in thousandths of a CPU to the CPU shares of a cgroup. */
export function milliCpuToShares(milliCpu: number): number {
  if (milliCpu === 0) return minShares;
  return Math.min(maxShares, Math.max(minShares, Math.floor((milliCpu * sharesPerCpu) / 1000)));
}

/** The inverse of `milliCpuToShares`, rounded up. It is exact for every request between the lowest and the highest shares. */
export const sharesToMilliCpu = (shares: number): number =>
  shares > 0 ? Math.ceil((shares * 1000) / sharesPerCpu) : 0;

/** Converts a limit in thousandths of a CPU to CPU time per period, in the unit of `period`. 0 means no limit. */
export function milliCpuToQuota(milliCpu: number, period: number): number {
  if (milliCpu === 0) return 0;
  return Math.max(minQuotaPeriod, Math.floor((milliCpu * period) / 1000));
}

/** The inverse of `milliCpuToQuota`. Returns 0 if there is no limit. */
export const quotaToMilliCpu = (quota: number, period: number): number =>
  quota <= 0 || period <= 0 ? 0 : Math.floor((quota * 1000) / period);
