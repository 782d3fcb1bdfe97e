import type { Service } from '@coxswain/api/core/v1';
import type { Endpoint, EndpointHints, EndpointSlice } from '@coxswain/api/discovery/v1';
import { isReady } from './endpoint.ts';
import type { SlicePlan } from './slice-plan.ts';

/** Returns the service's preference for endpoints in the same zone or on the same node, or undefined without one. */
export function trafficDistribution({ spec }: Service): 'zone' | 'node' | undefined {
  switch (spec?.trafficDistribution) {
    case 'PreferClose':
    case 'PreferSameZone':
      return 'zone';
    case 'PreferSameNode':
      return 'node';
    default:
      return undefined;
  }
}

/** Gives every ready endpoint a hint for its own zone, and for its own node with `node`. */
export function hintOwnPlace(plan: SlicePlan, prefer: 'zone' | 'node'): SlicePlan {
  const hint = (endpoint: Endpoint): Endpoint =>
    isReady(endpoint) ? withHints(endpoint, ownPlace(endpoint, prefer)) : endpoint;
  return rehint(plan, hint, (slice) =>
    slice.endpoints?.some((it) => isReady(it) && !isSameHints(it.hints, ownPlace(it, prefer))),
  );
}

/** Removes all hints. */
export function removeHints(plan: SlicePlan): SlicePlan {
  return rehint(
    plan,
    (endpoint) => withHints(endpoint, undefined),
    (slice) => slice.endpoints?.some(({ hints }) => hints !== undefined),
  );
}

/** Maps the endpoints of all slices that are written, and of unchanged ones for which `isWrong` is true, which are then written too. */
function rehint(
  plan: SlicePlan,
  hint: (endpoint: Endpoint) => Endpoint,
  isWrong: (slice: EndpointSlice) => boolean | undefined,
): SlicePlan {
  const hinted = (slice: EndpointSlice): EndpointSlice => ({ ...slice, endpoints: (slice.endpoints ?? []).map(hint) });
  return {
    create: plan.create.map(hinted),
    update: [...plan.update, ...plan.unchanged.filter(isWrong)].map(hinted),
    delete: plan.delete,
    unchanged: plan.unchanged.filter((slice) => !isWrong(slice)),
  };
}

function ownPlace({ zone, nodeName }: Endpoint, prefer: 'zone' | 'node'): EndpointHints | undefined {
  const forZones = zone === undefined ? undefined : [{ name: zone }];
  const forNodes = prefer === 'node' && nodeName !== undefined ? [{ name: nodeName }] : undefined;
  return forZones || forNodes ? { ...(forZones && { forZones }), ...(forNodes && { forNodes }) } : undefined;
}

const isSameHints = (a: EndpointHints | undefined, b: EndpointHints | undefined): boolean =>
  namesOf(a?.forZones) === namesOf(b?.forZones) && namesOf(a?.forNodes) === namesOf(b?.forNodes);

const namesOf = (places: readonly { readonly name: string }[] | null | undefined): string =>
  (places ?? []).map(({ name }) => name).join();

export function withHints({ hints: _, ...endpoint }: Endpoint, hints: EndpointHints | undefined): Endpoint {
  return hints ? { ...endpoint, hints } : endpoint;
}
