import type { EndpointSubset } from '@coxswain/api/core/v1';

/** The maximum number of addresses in one object. */
const maxAddresses = 1000;

/**
 * Limits the number of addresses to `maxAddresses`. Addresses that are not ready are removed first; the reduced kind is cut in
 * proportion in all subsets. Returns the same array when nothing has to be removed.
 */
export function truncateSubsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const [ready, notReady] = [readyIn(subsets), notReadyIn(subsets)];
  if (ready + notReady <= maxAddresses) return subsets;
  const cutsReady = ready > maxAddresses;
  const [room, total] = cutsReady ? [maxAddresses, ready] : [maxAddresses - ready, notReady];
  let left = room;
  return subsets.map(({ notReadyAddresses, ...subset }) => {
    const cut = cutsReady ? (subset.addresses ?? []) : (notReadyAddresses ?? []);
    const kept = cut.slice(0, Math.min(Math.ceil((cut.length / total) * room), left));
    left -= kept.length;
    if (cutsReady) return { ...subset, addresses: kept };
    return { ...subset, ...(kept.length > 0 && { notReadyAddresses: kept }) };
  });
}

const readyIn = (subsets: readonly EndpointSubset[]): number =>
  subsets.reduce((sum, { addresses }) => sum + (addresses?.length ?? 0), 0);

const notReadyIn = (subsets: readonly EndpointSubset[]): number =>
  subsets.reduce((sum, { notReadyAddresses }) => sum + (notReadyAddresses?.length ?? 0), 0);
