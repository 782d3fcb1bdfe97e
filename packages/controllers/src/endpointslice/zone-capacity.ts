import type { Node } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { zoneLabel } from './endpoint.ts';

/** The tolerated shortage of endpoints in a zone, relative to its share. */
const overloadThreshold = 0.2;

/** Each zone's share of the cluster's CPU. */
export type ZoneRatios = ReadonlyMap<string, number>;

/** Returns undefined when a node has no zone or CPU, and when there are fewer than two zones. */
export function zoneRatios(nodes: Iterable<Node>): ZoneRatios | undefined {
  const cpus = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    const { labels } = node.metadata;
    if (isControlPlane(labels) || !isNodeReady(node)) continue;
    const zone = labels?.[zoneLabel];
    const cpu = milliCpuOf(node);
    if (!zone || cpu === 0) return undefined;
    total += cpu;
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu);
  }
  if (cpus.size < 2) return undefined;
  return new Map([...cpus].map(([zone, cpu]) => [zone, cpu / total]));
}

export const isNodeReady = ({ status }: Node): boolean =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';

const isControlPlane = (labels: Readonly<Record<string, string>> = {}): boolean =>
  'node-role.kubernetes.io/control-plane' in labels || 'node-role.kubernetes.io/master' in labels;

function milliCpuOf({ status }: Node): number {
  const cpu = status?.allocatable?.cpu;
  return cpu === undefined ? 0 : Quantity.parse(cpu).milliValue();
}

/** The number of a service's endpoints for a zone. */
export interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

/** Returns how many of the endpoints each zone gets, or an error message when they cannot be distributed well. */
export function allocations(ratios: ZoneRatios | undefined, endpoints: number): Map<string, Allocation> | string {
  if (!ratios) {
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  }
  const numbers = `(${endpoints} endpoints, ${ratios.size} zones)`;
  if (ratios.size > endpoints) return `Insufficient number of endpoints ${numbers}`;
  const shares = [...ratios].map(([zone, ratio]) => {
    const share = ratio * endpoints;
    return { zone, share, minimum: Math.ceil(share * (1 / (1 + overloadThreshold))) };
  });
  const spare = endpoints - shares.reduce((sum, { minimum }) => sum + minimum, 0);
  if (spare < 0) {
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${numbers}`;
  }
  return new Map(
    shares.map(({ zone, share, minimum }) => [
      zone,
      { minimum, maximum: minimum + spare, desired: Math.max(share, minimum) },
    ]),
  );
}

/** Whether a zone has fewer endpoints than it needs. */
export function isOverloaded(hinted: ReadonlyMap<string, number>, ratios: ZoneRatios | undefined): boolean {
  if (hinted.size === 0) return false;
  if (!ratios) return true;
  const total = [...hinted.values()].reduce((sum, count) => sum + count, 0);
  return [...ratios].some(([zone, ratio]) => {
    const count = hinted.get(zone);
    return count === undefined || count < Math.ceil(total * ratio * (1 / (1 + overloadThreshold)));
  });
}
