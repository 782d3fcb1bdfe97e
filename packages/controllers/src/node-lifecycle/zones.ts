import type { Node } from '@coxswain/api/core/v1';

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

export interface EvictionRates {
  /** Nodes per second that are tainted in a healthy zone. */
  readonly nodeEvictionRate: number;
  /** The rate in a large unhealthy zone. */
  readonly secondaryNodeEvictionRate: number;
  /** Zones with more nodes than this are large. */
  readonly largeClusterSizeThreshold: number;
  /** The fraction of nodes that are not ready that makes a zone unhealthy, if it is at least three nodes. */
  readonly unhealthyZoneThreshold: number;
}

/** Returns the node's failure zone, made of its region and zone, or an empty text without any. */
export function zoneOf({ metadata: { labels } }: Node): string {
  const zone = labels?.['failure-domain.beta.kubernetes.io/zone'] ?? labels?.['topology.kubernetes.io/zone'] ?? '';
  const region =
    labels?.['failure-domain.beta.kubernetes.io/region'] ?? labels?.['topology.kubernetes.io/region'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}

/** Whether the node is not counted for the state of its zone, because of its exclude-disruption label. */
export const isExcludedFromDisruption = ({ metadata }: Node): boolean =>
  metadata.labels?.['node.kubernetes.io/exclude-disruption'] !== undefined;

/** Returns the state of a zone with these numbers of nodes. */
export function zoneState(ready: number, notReady: number, { unhealthyZoneThreshold }: EvictionRates): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  // Compared in single precision like in upstream: 11 of 20 must reach 0.55.
  const isUnhealthy = Math.fround(notReady / (ready + notReady)) >= Math.fround(unhealthyZoneThreshold);
  return notReady > 2 && isUnhealthy ? 'PartialDisruption' : 'Normal';
}

/**
 * Returns the rate at which nodes may be tainted. A zone without any ready nodes, while other zones have some, has the same rate
 * as a healthy one.
 */
export function evictionRate(state: ZoneState, zoneSize: number, rates: EvictionRates): number {
  if (state !== 'PartialDisruption') return rates.nodeEvictionRate;
  return zoneSize > rates.largeClusterSizeThreshold ? rates.secondaryNodeEvictionRate : 0;
}
