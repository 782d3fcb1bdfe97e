import { type ErrorList, invalid, Path, validateNonnegativeField } from '@coxswain/apimachinery';
import { podTemplateValidationOptions, validatePodTemplateSpecForReplicaSet } from '../../core/v1/pod/index.ts';
import type { ReplicaSet as APIReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from '../../generated/apps/v1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { podNameWarnings, podTemplateHooks } from './pod-template-hooks.ts';
import { sameWorkloadSpec } from './same-spec.ts';
import { printableSelector, selectorOf, validateControllerSelector, validateImmutableSelector } from './selector.ts';
import { type CountRules, validateCounts } from './status-counts.ts';
import { replicaSetTable } from './tables.ts';
import type { WithSpec } from './with-spec.ts';

type ReplicaSet = WithSpec<APIReplicaSet>;

const path = Path.of('spec');

/** Validates the selector and the pod template, which it must select, of Deployments and ReplicaSets. */
export function validateSelectorAndTemplate(
  { selector, template = {} }: Pick<ReplicaSetSpec, 'selector' | 'template'>,
  old: Pick<ReplicaSetSpec, 'template'> | undefined,
  context: StrategyContext,
): ErrorList {
  const errors = validateControllerSelector(selector, 'deployment', path.child('selector'));
  const selects = selectorOf(selector);
  if (!selects) {
    errors.push(invalid(path.child('selector'), printableSelector(selector), 'invalid label selector'));
    return errors;
  }
  const options = podTemplateValidationOptions(context, old?.template);
  const matches = (labels: Readonly<Record<string, string>>) => selects.matches(labels);
  errors.push(...validatePodTemplateSpecForReplicaSet(template, matches, path.child('template'), options));
  return errors;
}

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

/**
 * Drops terminatingReplicas from the status of Deployments and ReplicaSets while its feature is off, unless the old
 * status has it.
 */
export function dropTerminatingReplicas(
  status: { terminatingReplicas?: number } | undefined,
  old: { readonly terminatingReplicas?: number } | undefined,
  features: StrategyContext['features'],
): void {
  if (features.enabled('DeploymentReplicaSetTerminatingReplicas') || old?.terminatingReplicas !== undefined) return;
  delete status?.terminatingReplicas;
}
