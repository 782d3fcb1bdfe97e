const minShares = 2;
const maxShares = 262_144;
const sharesPerCpu = 1024;
const minQuotaPeriod = 1000;

/** Shares below or equal to this stand for a request of nothing or next to nothing. */
export const minCpuShares = minShares;

/** A CPU limit below this, in thousandths, has the same effect as this. */
export const minMilliCpuLimit = 10;

/** Converts a request in thousandths of a CPU to the weight that cgroups give it. */
export function milliCpuToShares(milliCpu: number): number {
  if (milliCpu === 0) return minShares;
  return Math.min(maxShares, Math.max(minShares, Math.floor((milliCpu * sharesPerCpu) / 1000)));
}

/** The inverse of `milliCpuToShares`, rounded up: it is exact for every request that has shares of its own. */
export const sharesToMilliCpu = (shares: number): number =>
  shares > 0 ? Math.ceil((shares * 1000) / sharesPerCpu) : 0;

/** Converts a limit in thousandths of a CPU to microseconds of each period. 0 means no limit. */
export function milliCpuToQuota(milliCpu: number, period: number): number {
  if (milliCpu === 0) return 0;
  return Math.max(minQuotaPeriod, Math.floor((milliCpu * period) / 1000));
}

/** The inverse of `milliCpuToQuota`; 0 where there is no limit. */
export const quotaToMilliCpu = (quota: number, period: number): number =>
  quota <= 0 || period <= 0 ? 0 : Math.floor((quota * 1000) / period);
