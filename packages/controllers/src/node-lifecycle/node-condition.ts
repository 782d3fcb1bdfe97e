import type { Node, NodeCondition } from '@coxswain/api/core/v1';

export const nodeCondition = ({ status }: Node, type: string): NodeCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);
