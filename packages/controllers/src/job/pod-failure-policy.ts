import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '@coxswain/api/batch/v1';
import type { ContainerStatus, Pod } from '@coxswain/api/core/v1';

/** The result of applying the pod failure policy to a failed pod. */
export interface FailureVerdict {
  /** Undefined when no rule matches. The failure then counts. */
  readonly action?: PodFailurePolicyRule['action'];
  /** Whether the failure counts towards the backoff limits. */
  readonly counts: boolean;
  /** The message of the Job's failure, for the action FailJob. */
  readonly failsJob?: string;
}

/** Applies the first matching rule. */
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

/** Returns a message about what the rule matched, or undefined. */
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
