import type { EndpointSlice } from '@coxswain/api/discovery/v1';

/** What is to become of slices. Those to create and update are ours to change; the others are as the cache has them. */
export interface SlicePlan {
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly delete: EndpointSlice[];
  readonly unchanged: EndpointSlice[];
}

export const emptyPlan = (): SlicePlan => ({ create: [], update: [], delete: [], unchanged: [] });

/** Adds all of one plan to another. */
export function addPlan(to: SlicePlan, plan: SlicePlan): void {
  to.create.push(...plan.create);
  to.update.push(...plan.update);
  to.delete.push(...plan.delete);
  to.unchanged.push(...plan.unchanged);
}

/**
 * Slices that would go take in what new ones would hold: one write instead of two. Only those that `mayReuse` allows, and
 * of the same type of addresses, which no slice can change.
 */
export function reuseDeleted(plan: SlicePlan, mayReuse: (slice: EndpointSlice) => boolean): SlicePlan {
  const create = [...plan.create];
  const update = [...plan.update];
  const kept = plan.delete.filter((deleted) => {
    const index = create.findLastIndex(({ addressType }) => addressType === deleted.addressType);
    if (index < 0 || !mayReuse(deleted)) return true;
    const [slice] = create.splice(index, 1);
    update.push({ ...slice!, metadata: { ...slice!.metadata, name: deleted.metadata.name ?? '' } });
    return false;
  });
  return { ...plan, create, update, delete: kept };
}

/** Lists of what has the same key, in order. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
