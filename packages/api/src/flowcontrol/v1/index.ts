import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { flowSchemaStrategy, setFlowSchemaDefaults } from './flow-schema.ts';
import { priorityLevelStrategy, setPriorityLevelDefaults } from './priority-level.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  defaults: { FlowSchema: setFlowSchemaDefaults, PriorityLevelConfiguration: setPriorityLevelDefaults },
  strategies: { FlowSchema: flowSchemaStrategy, PriorityLevelConfiguration: priorityLevelStrategy },
};
