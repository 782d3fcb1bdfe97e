const minShares = 2;
const maxShares = 262144;
const maxWeight = 10000;

/** Converts CPU shares of cgroup v1 (2 to 262144) to a weight of cgroup v2 (1 to 10000), as the kubelet does for pods. */
export function cpuWeightOf(cpuShares: number): number {
  if (cpuShares >= maxShares) return maxWeight;
  return 1 + Math.floor(((Math.max(cpuShares, minShares) - minShares) * (maxWeight - 1)) / (maxShares - minShares));
}

/** The reverse of `cpuWeightOf`, as far as rounding allows. */
export function cpuSharesOf(weight: number): number {
  return Math.floor(((weight - 1) * (maxShares - minShares)) / (maxWeight - 1) + minShares);
}
