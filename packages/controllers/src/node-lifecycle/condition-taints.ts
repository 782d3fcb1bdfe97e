import type { Node, Taint } from '@coxswain/api/core/v1';

export const notReadyTaintKey = 'node.kubernetes.io/not-ready';
export const unreachableTaintKey = 'node.kubernetes.io/unreachable';
const unschedulableTaintKey = 'node.kubernetes.io/unschedulable';

/** The taint keys by condition type and status. */
const conditionTaintKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReadyTaintKey, Unknown: unreachableTaintKey },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};

/** The keys of taints that are managed according to the node's conditions and `spec.unschedulable`. */
const managedKeys = new Set([unschedulableTaintKey, ...Object.values(conditionTaintKeys).flatMap(Object.values)]);

export interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

export const isSameTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** Returns the change of the node's NoSchedule taints that its state requires, or undefined when they are right. */
export function noScheduleTaintChange({ spec, status }: Node): TaintChange | undefined {
  const keys = (status?.conditions ?? []).flatMap((condition) => {
    const key = conditionTaintKeys[condition.type]?.[condition.status];
    return key ? [key] : [];
  });
  if (spec?.unschedulable) keys.push(unschedulableTaintKey);
  const wanted = keys.map((key): Taint => ({ key, effect: 'NoSchedule' }));
  const known = (spec?.taints ?? []).filter(({ key, effect }) => effect === 'NoSchedule' && managedKeys.has(key));
  const add = wanted.filter((taint) => !known.some((one) => isSameTaint(one, taint)));
  const remove = known.filter((taint) => !wanted.some((one) => isSameTaint(one, taint)));
  return add.length > 0 || remove.length > 0 ? { add, remove } : undefined;
}

/** Returns the changed taints, with `timeAdded` for those that are added, or undefined when nothing changes. */
export function changedTaints(
  taints: readonly Taint[],
  { add, remove }: TaintChange,
  timeAdded: string,
): Taint[] | undefined {
  const next = taints.filter((taint) => !remove.some((one) => isSameTaint(one, taint)));
  for (const taint of add) {
    const index = next.findIndex((one) => isSameTaint(one, taint));
    next.splice(index < 0 ? next.length : index, 1, { ...taint, timeAdded });
  }
  return add.length === 0 && next.length === taints.length ? undefined : next;
}
