import type { EndpointSlice } from '@coxswain/api/discovery/v1';

/** The changes of slices. Slices in `create` and `update` are copies that may be mutated. The others are cached objects. */
export interface SlicePlan {
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly delete: EndpointSlice[];
  readonly unchanged: EndpointSlice[];
}

export const emptyPlan = (): SlicePlan => ({ create: [], update: [], delete: [], unchanged: [] });

/** Appends one plan to another. */
export function addPlan(to: SlicePlan, plan: SlicePlan): void {
  to.create.push(...plan.create);
  to.update.push(...plan.update);
  to.delete.push(...plan.delete);
  to.unchanged.push(...plan.unchanged);
}

/**
 * Replaces pairs of a deleted and a created slice by one update, which saves a write. Only for slices that `mayReuse` accepts and
 * that have the same address type, which is immutable.
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

/** Groups the items by key, preserving their order. */
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
