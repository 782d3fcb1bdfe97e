import { type ErrorList, Path, validateNonnegativeField } from '@coxswain/apimachinery';
import type { ReplicaSet as APIReplicaSet, ReplicaSetStatus } from '../../generated/apps/v1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { dropTerminatingReplicas, validateSelectorAndTemplate } from './deployment.ts';
import { podNameWarnings, podTemplateHooks } from './pod-template-hooks.ts';
import { sameWorkloadSpec } from './same-spec.ts';
import { validateImmutableSelector } from './selector.ts';
import { type CountRules, validateCounts } from './status-counts.ts';
import { replicaSetTable } from './tables.ts';
import type { WithSpec } from './with-spec.ts';

type ReplicaSet = WithSpec<APIReplicaSet>;

const path = Path.of('spec');

function validateReplicaSet({ spec }: ReplicaSet, old: ReplicaSet | undefined, context: StrategyContext): ErrorList {
  return [
    ...validateNonnegativeField(spec.replicas, path.child('replicas')),
    ...validateNonnegativeField(spec.minReadySeconds, path.child('minReadySeconds')),
    ...validateSelectorAndTemplate(spec, old?.spec, context),
  ];
}

const statusRules: CountRules<ReplicaSetStatus> = {
  nonNegative: [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ],
  atMost: [
    ['fullyLabeledReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
};

const hooks = podTemplateHooks<ReplicaSet>();

export const replicaSetStrategy: Strategy<ReplicaSet> = {
  ...hooks,
  generation: ({ spec }, old) => !sameWorkloadSpec(spec, old.spec),
  validate: (replicaSet, context) => validateReplicaSet(replicaSet, undefined, context),
  validateUpdate: (replicaSet, old, context) => [
    ...validateReplicaSet(replicaSet, old, context),
    ...validateImmutableSelector(replicaSet.spec.selector, old.spec.selector, path.child('selector')),
  ],
  warningsOnCreate: (replicaSet, context) => [
    ...podNameWarnings(replicaSet),
    ...hooks.warningsOnCreate(replicaSet, context),
  ],
  subresources: {
    status: {
      owns: ['status'],
      prepareForUpdate: ({ status }, old, { features }) => dropTerminatingReplicas(status, old.status, features),
      validateUpdate: ({ status }) => validateCounts(status, statusRules, Path.of('status')),
    },
  },
  table: replicaSetTable,
};
