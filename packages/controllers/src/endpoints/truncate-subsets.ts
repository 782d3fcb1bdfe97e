import type { EndpointSubset } from '@coxswain/api/core/v1';

/** More addresses than this are not put into one object. */
const maxAddresses = 1000;

/**
 * No more addresses than there may be: ready ones first, and of what has to be cut short each subset's share. The same
 * subsets when there are not too many.
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
