import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '@coxswain/api/batch/v1';
import type { ContainerStatus, Pod } from '@coxswain/api/core/v1';

/** What the policy says of a pod that failed. */
export interface FailureVerdict {
  /** Undefined when no rule is about it: then it counts. */
  readonly action?: PodFailurePolicyRule['action'];
  /** Whether it counts towards the backoff limits. */
  readonly counts: boolean;
  /** Why the Job fails on account of it. */
  readonly failsJob?: string;
}

/** The first rule that matches decides. */
export function failureVerdict(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [index, rule] of policy?.rules?.entries() ?? []) {
    const cause = matchedBy(rule, pod);
    if (cause === undefined) continue;
    const { action } = rule;
    if (action === 'FailJob')
      return { action, counts: true, failsJob: `${cause} matching FailJob rule at index ${index}` };
    return { action, counts: action !== 'Ignore' };
  }
  return { counts: true };
}

/** What of the pod the rule is about, in words. */
function matchedBy({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { name, namespace } = pod.metadata;
  if (onExitCodes) {
    const containerStatuses = pod.status?.containerStatuses ?? [];
    const initContainerStatuses = pod.status?.initContainerStatuses ?? [];
    const container = [...containerStatuses, ...initContainerStatuses].find((one) => hasExitCode(one, onExitCodes));
    if (!container) return undefined;
    const code = container.state?.terminated?.exitCode;
    return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code}`;
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`;
}

function hasExitCode(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const code = state?.terminated?.exitCode ?? 0;
  if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
  if (operator === 'In') return values.includes(code);
  return operator === 'NotIn' && !values.includes(code);
}
