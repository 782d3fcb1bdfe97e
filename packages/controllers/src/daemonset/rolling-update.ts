import type { DaemonSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { getScaledValueFromIntOrPercent } from '@coxswain/apimachinery/intstr';
import type { NodeView, Placement } from './placement.ts';

interface UpdateLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Returns the limits for `desired` nodes. If both were zero, the update would never end, so maxUnavailable is then 1. */
export function updateLimits({ spec }: DaemonSet, desired: number): UpdateLimits {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  const { maxSurge: surge = 0, maxUnavailable: unavailable = 0 } = (type === 'RollingUpdate' && rollingUpdate) || {};
  const maxSurge = getScaledValueFromIntOrPercent(surge, desired, true);
  const maxUnavailable = getScaledValueFromIntOrPercent(unavailable, desired, true);
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 && desired > 0 ? 1 : maxUnavailable };
}

/** Whether a node may have two of the set's pods during an update. */
export function allowsSurge(set: DaemonSet): boolean {
  return updateLimits(set, 1).maxSurge > 0;
}

interface PodTests {
  isUpdated(pod: Pod): boolean;
  isAvailable(pod: Pod): boolean;
}

interface UpdateView extends PodTests {
  /** The nodes that should have a pod, and those that have one. */
  readonly nodes: readonly NodeView[];
  /** The number of nodes that should have a pod. */
  readonly desired: number;
  readonly limits: UpdateLimits;
}

export interface UpdateStep {
  readonly deletes: readonly Pod[];
  readonly createsOn: readonly string[];
}

/**
 * Returns the next step of an update. Without surge it deletes old pods, which `planNode` then replaces. With surge it creates
 * new pods first.
 *
 * Differs from upstream: there, with surge, a pod on a node that no longer exists blocks the update until the pod is deleted.
 */
export function planUpdate(set: DaemonSet, { nodes, lost }: Placement, tests: PodTests): UpdateStep {
  const desired = nodes.filter(({ shouldRun }) => shouldRun).length;
  const limits = updateLimits(set, desired);
  const concerned = [...nodes, ...lost].filter(({ shouldRun, pods }) => shouldRun || pods.length > 0);
  const plan = limits.maxSurge === 0 ? replace : surge;
  return plan({ ...tests, nodes: concerned, desired, limits });
}

/** Deletes unavailable old pods at once, and other old pods as long as no more than maxUnavailable nodes lack an available pod. */
function replace({ nodes, limits, isUpdated, isAvailable }: UpdateView): UpdateStep {
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { pods } of nodes) {
    const { updated, outdated, isClear } = oldAndNew(pods, isUpdated);
    const only = isClear && !(updated && outdated) ? (updated ?? outdated) : undefined;
    const isUp = only !== undefined && isAvailable(only);
    if (!isUp) unavailable++;
    if (!only || only === updated) continue;
    if (isUp) candidates.push(only);
    else broken.push(only);
  }
  return {
    deletes: [...broken, ...candidates.slice(0, Math.max(0, limits.maxUnavailable - unavailable))],
    createsOn: [],
  };
}

/**
 * Creates new pods beside old ones, and deletes an old pod when the new one is available. Unavailable old pods get a new one at
 * once. Pods on nodes that should no longer have one are kept while too few pods are available elsewhere.
 */
function surge({ nodes, desired, limits, isUpdated, isAvailable }: UpdateView): UpdateStep {
  const deletes: Pod[] = [];
  const misplaced: Pod[] = [];
  const broken: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { name, shouldRun, pods } of nodes) {
    const { updated, outdated, isClear } = oldAndNew(pods, isUpdated);
    if (!isClear) {
      surging++;
      continue;
    }
    const counted = outdated ?? updated;
    const isUp = counted !== undefined && isAvailable(counted);
    if (isUp) available++;
    if (!outdated) continue;
    if (updated) {
      if (isAvailable(updated)) deletes.push(outdated);
      else surging++;
    } else if (!shouldRun) {
      if (isUp) misplaced.push(outdated);
      else deletes.push(outdated);
    } else if (isUp) candidates.push(name);
    else broken.push(name);
  }
  const spare = Math.max(0, available - desired);
  return {
    deletes: [...deletes, ...misplaced.slice(0, spare)],
    createsOn: [...broken, ...candidates.slice(0, Math.max(0, limits.maxSurge - surging))],
  };
}

/** Returns the node's old and its new pod. `isClear` is false if it has more than one of either. */
function oldAndNew(
  pods: readonly Pod[],
  isUpdated: (pod: Pod) => boolean,
): { readonly updated?: Pod | undefined; readonly outdated?: Pod | undefined; readonly isClear: boolean } {
  const lasting = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const updated = lasting.filter(isUpdated);
  const outdated = lasting.filter((pod) => !updated.includes(pod));
  if (updated.length > 1 || outdated.length > 1) return { isClear: false };
  return { updated: updated[0], outdated: outdated[0], isClear: true };
}
