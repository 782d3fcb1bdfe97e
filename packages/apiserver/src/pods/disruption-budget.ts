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

/** More evictions than that, which its controller has not seen, are too many. */
const maxDisruptedPods = 2000;

const budgets = GroupResource.of('policy', 'poddisruptionbudget');

/** Whether the pod is one that the budget is for. A selector that cannot be read selects none. */
export function covers({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean {
  try {
    return labels.labelSelectorAsSelector(spec?.selector).matches(metadata.labels ?? {});
  } catch {
    return false;
  }
}

/** Whether a pod that is not ready may go without counting: it is not among those that the budget counts as healthy. */
export function allowsUnready({ spec, status = {} }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/**
 * The budget with one disruption less, for the pod. Throws 429 when there is none left, or nobody knows yet; 403 when
 * the budget is not in order.
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

/** The answer when it cannot be decided now, but probably soon. */
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
  // After a failed sync the figures are not to be trusted.
  if (why?.reason === 'SyncFailed') return `${refused} because it failed sync: ${why.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return why ? `${refused} (${why.reason}): ${why.message}` : refused;
}
