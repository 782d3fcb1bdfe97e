import type { FlowSchemaSpec, PriorityLevelConfigurationSpec } from '../../generated/flowcontrol/v1.ts';

const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const groups = (...names: readonly string[]) => names.map((name) => ({ kind: 'Group', group: { name } }));

/** Every server has these, and their specs are fixed: without them requests could match nothing. */
export const mandatoryFlowSchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: [{ subjects: groups('system:masters'), ...everything }],
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: groups('system:unauthenticated', 'system:authenticated'), ...everything }],
    },
  ],
]);

/** Of the level `exempt`, all but what it lends is fixed. */
export const mandatoryPriorityLevels: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    'catch-all',
    {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
    },
  ],
]);
