import type { DeploymentCondition } from '@coxswain/api/apps/v1';

export type Conditions = readonly DeploymentCondition[];

/** A condition of a deployment without its timestamps. */
export interface Finding {
  readonly type: 'Progressing' | 'Available' | 'ReplicaFailure';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const conditionOf = (
  conditions: Conditions | undefined,
  type: Finding['type'],
): DeploymentCondition | undefined => conditions?.find((condition) => condition.type === type);

export const withoutCondition = (conditions: Conditions, type: Finding['type']): Conditions =>
  conditions.filter((condition) => condition.type !== type);

/**
 * Returns the conditions with this one appended, or unchanged if a condition with the same status and reason exists.
 * lastTransitionTime changes only with the status.
 */
export function withCondition(conditions: Conditions, condition: DeploymentCondition): Conditions {
  const known = conditions.find(({ type }) => type === condition.type);
  if (known?.status === condition.status && known.reason === condition.reason) return conditions;
  const { lastTransitionTime } = known?.status === condition.status ? known : condition;
  return [
    ...conditions.filter((other) => other !== known),
    { ...condition, ...(lastTransitionTime !== undefined && { lastTransitionTime }) },
  ];
}

/** Returns the condition with both timestamps set to `time`. */
export const foundAt = (finding: Finding, time: string): DeploymentCondition => ({
  type: finding.type,
  status: finding.status,
  lastUpdateTime: time,
  lastTransitionTime: time,
  reason: finding.reason,
  message: finding.message,
});
