import {
  type ErrorList,
  invalid,
  labelSelectorHasInvalidLabelValue,
  notSupported,
  Path,
  required,
  validateLabelSelector,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import { podTemplateValidationOptions, validatePodTemplateSpecForController } from '../../core/v1/pod/index.ts';
import type {
  DaemonSet as APIDaemonSet,
  DaemonSetStatus,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../generated/apps/v1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { intOrPercentValue, validateNotMoreThan100Percent, validatePositiveIntOrPercent } from './int-or-percent.ts';
import { internalForm } from './internal-form.ts';
import { integerAnnotation, setAnnotation, templateGenerationAnnotation } from './legacy-annotations.ts';
import { podTemplateHooks } from './pod-template-hooks.ts';
import { samePodTemplate, sameWorkloadSpec } from './same-spec.ts';
import { isEmptySelector, selectorOf, validateImmutableSelector } from './selector.ts';
import { type CountRules, validateCollisionCount, validateCounts } from './status-counts.ts';
import { daemonSetTable } from './tables.ts';
import type { WithSpec } from './with-spec.ts';

type DaemonSet = WithSpec<APIDaemonSet>;

const path = Path.of('spec');
const statusPath = Path.of('status');

const templateGeneration = ({ metadata }: DaemonSet): bigint =>
  integerAnnotation(metadata, templateGenerationAnnotation) ?? 0n;

const setTemplateGeneration = ({ metadata }: DaemonSet, generation: bigint): void =>
  setAnnotation(metadata, templateGenerationAnnotation, generation.toString());

function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, at: Path): ErrorList {
  const unavailablePath = at.child('maxUnavailable');
  const surgePath = at.child('maxSurge');
  const errors = [
    ...validatePositiveIntOrPercent(maxUnavailable, unavailablePath),
    ...validatePositiveIntOrPercent(maxSurge, surgePath),
    ...validateNotMoreThan100Percent(maxUnavailable, unavailablePath),
    ...validateNotMoreThan100Percent(maxSurge, surgePath),
  ];
  const unavailable = intOrPercentValue(maxUnavailable) !== 0;
  const surge = intOrPercentValue(maxSurge) !== 0;
  if (unavailable && surge) errors.push(invalid(surgePath, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  else if (!unavailable && !surge) errors.push(required(unavailablePath, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy, at: Path): ErrorList {
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate')
    return [notSupported(at, internalForm('DaemonSetUpdateStrategy', strategy), ['RollingUpdate', 'OnDelete'])];
  const updatePath = at.child('rollingUpdate');
  return rollingUpdate ? validateRollingUpdate(rollingUpdate, updatePath) : [required(updatePath)];
}

function validateDaemonSet({ spec }: DaemonSet, old: DaemonSet | undefined, context: StrategyContext): ErrorList {
  const { selector, template } = spec;
  const selectorPath = path.child('selector');
  const options = podTemplateValidationOptions(context, old?.spec.template);
  const allowInvalidLabelValueInSelector =
    options.allowInvalidLabelValueInSelector ||
    (old ? labelSelectorHasInvalidLabelValue(old.spec.selector ?? undefined) : false);
  const errors = validateLabelSelector(selector ?? undefined, { allowInvalidLabelValueInSelector }, selectorPath);
  const selects = selectorOf(selector);
  const templateErrors = validatePodTemplateSpecForController(
    template,
    { matches: (labels) => selects?.matches(labels) ?? true, controller: 'DaemonSet' },
    path.child('template'),
    options,
  );
  if (selector && isEmptySelector(selector))
    errors.push(invalid(selectorPath, {}, 'empty selector is invalid for daemonset'));
  return [
    ...errors,
    ...templateErrors,
    ...validateNonnegativeField(spec.minReadySeconds, path.child('minReadySeconds')),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}, path.child('updateStrategy')),
    ...validateNonnegativeField(spec.revisionHistoryLimit, path.child('revisionHistoryLimit')),
  ];
}

const statusRules: CountRules<DaemonSetStatus> = {
  nonNegative: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ],
  atMost: [],
};

const hooks = podTemplateHooks<DaemonSet>();

export const daemonSetStrategy: Strategy<DaemonSet> = {
  ...hooks,
  generation: ({ spec }, old) => !sameWorkloadSpec(spec, old.spec),
  prepareForCreate(daemonSet, context) {
    if (templateGeneration(daemonSet) < 1n) setTemplateGeneration(daemonSet, 1n);
    hooks.prepareForCreate(daemonSet, context);
  },
  prepareForUpdate(daemonSet, old, context) {
    hooks.prepareForUpdate(daemonSet, old, context);
    const isChanged = !samePodTemplate(daemonSet.spec.template, old.spec.template);
    setTemplateGeneration(daemonSet, templateGeneration(old) + (isChanged ? 1n : 0n));
  },
  validate: (daemonSet, context) => validateDaemonSet(daemonSet, undefined, context),
  validateUpdate: (daemonSet, old, context) => [
    ...validateImmutableSelector(daemonSet.spec.selector, old.spec.selector, path.child('selector')),
    ...validateDaemonSet(daemonSet, old, context),
  ],
  warningsOnUpdate: (daemonSet, old, context) =>
    templateGeneration(daemonSet) === templateGeneration(old) ? [] : hooks.warningsOnCreate(daemonSet, context),
  subresources: {
    status: {
      owns: ['status'],
      prepareForUpdate: (daemonSet, old) => setTemplateGeneration(daemonSet, templateGeneration(old)),
      validateUpdate: ({ status }, old) => [
        ...validateCounts(status, statusRules, statusPath),
        ...validateCollisionCount(status, old.status, statusPath),
      ],
    },
  },
  table: daemonSetTable,
};
