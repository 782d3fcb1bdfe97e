import type { Pod } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@coxswain/api/policy/v1';
import {
  ApiError,
  cloneJson,
  findStatusCondition,
  GroupResource,
  labels,
  newForbidden,
  newTooManyRequests,
  setOwnEntry,
  setStatusCondition,
  timeFromDate,
} from '@coxswain/apimachinery';

/** The maximum number of evictions that the budget's controller has not confirmed. */
const maxDisruptedPods = 2000;

const budgets = GroupResource.of('policy', 'poddisruptionbudget');

/** Returns whether the budget selects the pod. An invalid selector selects no pods. */
export function covers({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean {
  try {
    return labels.labelSelectorAsSelector(spec?.selector).matches(metadata.labels ?? {});
  } catch {
    return false;
  }
}

/** Returns whether a pod that is not ready may be evicted without using up the budget, because it is not counted as healthy. */
export function allowsUnready({ spec, status = {} }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/**
 * Returns the budget with one allowed disruption less, for the pod. Throws TooManyRequests when none is left or the budget was not
 * processed yet, and Forbidden when its status is invalid.
 */
export function withDisruption(budget: PodDisruptionBudget, podName: string, now: () => Date): PodDisruptionBudget {
  const { name = '', generation = 0 } = budget.metadata;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = budget.status ?? {};
  if (observedGeneration < generation) throw stillProcessed(name);
  if (disruptionsAllowed < 0) throw newForbidden(budgets, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw newForbidden(budgets, name, why);
  }
  if (disruptionsAllowed === 0) throw refusal(0, refusalReason(name, budget.status ?? {}));
  const changed = cloneJson(budget);
  changed.status ??= {};
  const { status } = changed;
  status.disruptionsAllowed = disruptionsAllowed - 1;
  if (status.disruptionsAllowed === 0) {
    status.conditions ??= [];
    const reason = { reason: 'InsufficientPods', message: '' };
    setStatusCondition(
      status.conditions,
      { type: 'DisruptionAllowed', status: 'False', observedGeneration, ...reason },
      now,
    );
  }
  status.disruptedPods ??= {};
  setOwnEntry(status.disruptedPods, podName, timeFromDate(now()));
  return changed;
}

/** Returns the 429 for a budget whose status is not up to date; the client should retry. */
export const stillProcessed = (name: string): ApiError =>
  refusal(10, `The disruption budget ${name} is still being processed by the server.`);

function refusal(retryAfterSeconds: number, message: string): ApiError {
  const { status } = newTooManyRequests(
    "Cannot evict pod as it would violate the pod's disruption budget.",
    retryAfterSeconds,
  );
  const causes = [{ reason: 'DisruptionBudget', message }];
  return new ApiError({ ...status, details: { ...status.details, causes } });
}

function refusalReason(name: string, status: PodDisruptionBudgetStatus): string {
  const { conditions, currentHealthy = 0, desiredHealthy = 0 } = status;
  const condition = findStatusCondition(conditions, 'DisruptionAllowed');
  const why = condition?.status === 'False' && condition.message !== '' ? condition : undefined;
  const refused = `The disruption budget ${name} does not allow evicting pods currently`;
  // After a failed sync the counts in the status may be wrong.
  if (why?.reason === 'SyncFailed') return `${refused} because it failed sync: ${why.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return why ? `${refused} (${why.reason}): ${why.message}` : refused;
}
