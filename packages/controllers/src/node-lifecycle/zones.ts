import type { Node } from '@coxswain/api/core/v1';

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

export interface EvictionRates {
  /** Nodes per second that are tainted in a zone that is well. */
  readonly nodeEvictionRate: number;
  /** In one that is not, if it is large. */
  readonly secondaryNodeEvictionRate: number;
  /** Zones of more nodes than this are large. */
  readonly largeClusterSizeThreshold: number;
  /** The part of a zone's nodes that makes it unhealthy when they are not ready; at least three nodes. */
  readonly unhealthyZoneThreshold: number;
}

/** The failure zone that a node is in: region and zone, or none. */
export function zoneOf({ metadata: { labels } }: Node): string {
  const zone = labels?.['failure-domain.beta.kubernetes.io/zone'] ?? labels?.['topology.kubernetes.io/zone'] ?? '';
  const region =
    labels?.['failure-domain.beta.kubernetes.io/region'] ?? labels?.['topology.kubernetes.io/region'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}

/** Nodes that say so do not count for whether their zone is well. */
export const isExcludedFromDisruption = ({ metadata }: Node): boolean =>
  metadata.labels?.['node.kubernetes.io/exclude-disruption'] !== undefined;

/** How a zone is, of whose nodes so many are ready. */
export function zoneState(ready: number, notReady: number, { unhealthyZoneThreshold }: EvictionRates): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  // In single precision, as the threshold is: 0.55 is meant to be met by 11 of 20.
  const isUnhealthy = Math.fround(notReady / (ready + notReady)) >= Math.fround(unhealthyZoneThreshold);
  return notReady > 2 && isUnhealthy ? 'PartialDisruption' : 'Normal';
}

/**
 * Nodes per second that may be tainted. A zone that is down as a whole, while others are not, is evicted as fast as one
 * that is well.
 */
export function evictionRate(state: ZoneState, zoneSize: number, rates: EvictionRates): number {
  if (state !== 'PartialDisruption') return rates.nodeEvictionRate;
  return zoneSize > rates.largeClusterSizeThreshold ? rates.secondaryNodeEvictionRate : 0;
}
