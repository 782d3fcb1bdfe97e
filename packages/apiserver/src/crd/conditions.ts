import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@coxswain/api/apiextensions/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';

export type ConditionType =
  | 'NamesAccepted'
  | 'Established'
  | 'NonStructuralSchema'
  | 'Terminating'
  | 'KubernetesAPIApprovalPolicyConformant';

export interface Condition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const findCondition = (
  { status }: CustomResourceDefinition,
  type: ConditionType,
): CustomResourceDefinitionCondition | undefined => status?.conditions?.find((condition) => condition.type === type);

export const isConditionTrue = (definition: CustomResourceDefinition, type: ConditionType): boolean =>
  findCondition(definition, type)?.status === 'True';

/** Whether the definition already has the condition, ignoring its time. */
export function hasCondition(definition: CustomResourceDefinition, { type, ...wanted }: Condition): boolean {
  const { status, reason, message } = findCondition(definition, type) ?? {};
  return status === wanted.status && reason === wanted.reason && message === wanted.message;
}

/** Sets the condition. Its lastTransitionTime only changes with its status. */
export function withCondition(
  definition: CustomResourceDefinition,
  condition: Condition,
  now: Date,
): CustomResourceDefinition {
  const conditions = definition.status?.conditions ?? [];
  const old = findCondition(definition, condition.type);
  const stays = old?.status === condition.status && old.lastTransitionTime;
  const { type, status, reason, message } = condition;
  const next = { ...old, type, status, lastTransitionTime: stays || timeFromDate(now), reason, message };
  return withConditions(
    definition,
    old ? conditions.map((other) => (other === old ? next : other)) : [...conditions, next],
  );
}

export const withoutCondition = (definition: CustomResourceDefinition, type: ConditionType): CustomResourceDefinition =>
  withConditions(
    definition,
    (definition.status?.conditions ?? []).filter((condition) => condition.type !== type),
  );

const withConditions = (
  definition: CustomResourceDefinition,
  conditions: CustomResourceDefinitionCondition[],
): CustomResourceDefinition => ({ ...definition, status: { ...definition.status, conditions } });
