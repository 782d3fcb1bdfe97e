import {
  type ErrorList,
  forbidden,
  invalid,
  notSupported,
  Path,
  required,
  semanticEqual,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import type { Deployment as APIDeployment, DeploymentStatus, DeploymentStrategy } from '../../generated/apps/v1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { intOrPercentValue, validateNotMoreThan100Percent, validatePositiveIntOrPercent } from './int-or-percent.ts';
import { internalForm } from './internal-form.ts';
import { integerAnnotation, rollbackToAnnotation, setAnnotation } from './legacy-annotations.ts';
import { podNameWarnings, podTemplateHooks } from './pod-template-hooks.ts';
import { dropTerminatingReplicas, validateSelectorAndTemplate } from './replica-set.ts';
import { sameWorkloadSpec } from './same-spec.ts';
import { validateImmutableSelector } from './selector.ts';
import { type CountRules, validateCollisionCount, validateCounts } from './status-counts.ts';
import { deploymentTable } from './tables.ts';
import type { WithSpec } from './with-spec.ts';

type Deployment = WithSpec<APIDeployment>;

const path = Path.of('spec');
const statusPath = Path.of('status');

function validateStrategy(strategy: DeploymentStrategy, at: Path): ErrorList {
  const { type, rollingUpdate } = strategy;
  const updatePath = at.child('rollingUpdate');
  if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate ? [forbidden(updatePath, detail)] : [];
  }
  if (type !== 'RollingUpdate')
    return [notSupported(at, internalForm('DeploymentStrategy', strategy), ['Recreate', 'RollingUpdate'])];
  if (!rollingUpdate) return [required(updatePath, 'this should be defaulted and never be nil')];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const unavailablePath = updatePath.child('maxUnavailable');
  const errors = [
    ...validatePositiveIntOrPercent(maxUnavailable, unavailablePath),
    ...validatePositiveIntOrPercent(maxSurge, updatePath.child('maxSurge')),
  ];
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0)
    errors.push(invalid(unavailablePath, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  errors.push(...validateNotMoreThan100Percent(maxUnavailable, unavailablePath));
  return errors;
}

function validateDeployment(
  { metadata, spec }: Deployment,
  old: Deployment | undefined,
  context: StrategyContext,
): ErrorList {
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  const errors = [
    ...validateNonnegativeField(spec.replicas, path.child('replicas')),
    ...validateSelectorAndTemplate(spec, old?.spec, context),
    ...validateStrategy(spec.strategy ?? {}, path.child('strategy')),
    ...validateNonnegativeField(minReadySeconds, path.child('minReadySeconds')),
    ...validateNonnegativeField(spec.revisionHistoryLimit, path.child('revisionHistoryLimit')),
    ...validateNonnegativeField(integerAnnotation(metadata, rollbackToAnnotation), path.child('rollback', 'version')),
  ];
  if (progressDeadlineSeconds !== undefined) {
    const at = path.child('progressDeadlineSeconds');
    errors.push(...validateNonnegativeField(progressDeadlineSeconds, at));
    if (progressDeadlineSeconds <= minReadySeconds)
      errors.push(invalid(at, progressDeadlineSeconds, 'must be greater than minReadySeconds'));
  }
  return errors;
}

const statusRules: CountRules<DeploymentStatus> = {
  nonNegative: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ],
  atMost: [
    ['updatedReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
};

const hooks = podTemplateHooks<Deployment>();

export const deploymentStrategy: Strategy<Deployment> = {
  ...hooks,
  // Annotations count, because they are copied to the ReplicaSets.
  generation: ({ metadata, spec }, old) =>
    !sameWorkloadSpec(spec, old.spec) || !semanticEqual(metadata.annotations ?? {}, old.metadata.annotations ?? {}),
  validate: (deployment, context) => validateDeployment(deployment, undefined, context),
  validateUpdate: (deployment, old, context) => [
    ...validateDeployment(deployment, old, context),
    ...validateImmutableSelector(deployment.spec.selector, old.spec.selector, path.child('selector')),
  ],
  warningsOnCreate: (deployment, context) => [
    ...podNameWarnings(deployment),
    ...hooks.warningsOnCreate(deployment, context),
  ],
  subresources: {
    status: {
      owns: ['status'],
      prepareForUpdate(deployment, old, { features }) {
        const { metadata, status } = deployment;
        if (old.metadata.labels) metadata.labels = old.metadata.labels;
        else delete metadata.labels;
        const rollback = integerAnnotation(old.metadata, rollbackToAnnotation);
        setAnnotation(metadata, rollbackToAnnotation, rollback?.toString());
        dropTerminatingReplicas(status, old.status, features);
      },
      validateUpdate: ({ status }, old) => [
        ...validateCounts(status, statusRules, statusPath),
        ...validateCollisionCount(status, old.status, statusPath),
      ],
    },
  },
  table: deploymentTable,
};
