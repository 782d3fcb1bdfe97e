import type { Endpoint, EndpointSlice } from '@coxswain/api/discovery/v1';
import { endpointKey, isSameEndpoint } from './endpoint.ts';
import type { SlicePlan } from './slice-plan.ts';

export interface Packing {
  /** Slices with the same ports and address type. */
  readonly existing: readonly EndpointSlice[];
  /** All desired endpoints, by `endpointKey`. */
  readonly desired: ReadonlyMap<string, Endpoint>;
  readonly maxEndpointsPerSlice: number;
  /** Returns the new labels of the slice, or undefined when its labels are right. */
  newLabels(slice: EndpointSlice): Record<string, string> | undefined;
  /** Returns a new slice with an empty list of endpoints. */
  newSlice(): EndpointSlice;
}

/**
 * Distributes endpoints to slices so that few slices change, because each change is sent to every node:
 *
 * 1. Endpoints stay in their slices. Slices with removed or changed endpoints are written.
 * 2. Slices that are written anyway are filled, the fullest first.
 * 3. The remaining endpoints go into one slice that has room for all of them (the one that they fill best), or into new ones.
 *
 * Slices are never merged, so over time there may be more of them than needed.
 */
export function packEndpoints(packing: Packing): SlicePlan {
  const { existing, maxEndpointsPerSlice: max } = packing;
  const missing = new Map(packing.desired);
  const plan: SlicePlan = { create: [], update: [], delete: [], unchanged: [] };

  for (const slice of existing) {
    const before = slice.endpoints ?? [];
    const { endpoints, isChanged } = kept(before, missing);
    const labels = packing.newLabels(slice);
    if (!isChanged && !labels) plan.unchanged.push(slice);
    else if (isChanged && endpoints.length === 0) plan.delete.push(slice);
    else plan.update.push(copied(slice, isChanged ? endpoints : [...before], labels));
  }

  const left = missing.values();
  let count = missing.size;
  const fill = (slice: EndpointSlice): EndpointSlice => {
    const endpoints = slice.endpoints ?? [];
    for (; count > 0 && endpoints.length < max; count--) endpoints.push(left.next().value!);
    return slice;
  };

  if (count > 0) for (const slice of [...plan.update].sort((a, b) => lengthOf(b) - lengthOf(a))) fill(slice);
  while (count > 0) {
    const roomy = count < max ? bestFilled(plan.unchanged, count, max) : undefined;
    if (roomy) {
      plan.unchanged.splice(plan.unchanged.indexOf(roomy), 1);
      plan.update.push(fill(copied(roomy, [...(roomy.endpoints ?? [])])));
    } else plan.create.push(fill(packing.newSlice()));
  }
  return plan;
}

/** Returns the remaining endpoints in their new state, and removes them from `missing`. */
function kept(
  before: readonly Endpoint[],
  missing: Map<string, Endpoint>,
): { endpoints: Endpoint[]; isChanged: boolean } {
  const endpoints: Endpoint[] = [];
  let isChanged = false;
  for (const endpoint of before) {
    const key = endpointKey(endpoint);
    const desired = missing.get(key);
    if (!desired) continue;
    endpoints.push(desired);
    isChanged ||= !isSameEndpoint(desired, endpoint);
    missing.delete(key);
  }
  return { endpoints, isChanged: isChanged || endpoints.length !== before.length };
}

const lengthOf = ({ endpoints }: EndpointSlice): number => endpoints?.length ?? 0;

function copied(slice: EndpointSlice, endpoints: Endpoint[], labels?: Record<string, string>): EndpointSlice {
  return { ...slice, metadata: { ...slice.metadata, ...(labels && { labels }) }, endpoints };
}

/** Returns the slice that `count` more endpoints would fill best, or undefined when none has enough room. */
function bestFilled(slices: readonly EndpointSlice[], count: number, max: number): EndpointSlice | undefined {
  let best: EndpointSlice | undefined;
  let least = max;
  for (const slice of slices) {
    const free = max - count - lengthOf(slice);
    if (free >= 0 && free < least) [best, least] = [slice, free];
  }
  return best;
}
