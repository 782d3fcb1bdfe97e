import {
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Label,
  nameIsDnsLabel,
  notSupported,
  Path,
  required,
  validateAnnotations,
  validateLabels,
  validateNonnegativeField,
  validateObjectMetaUpdate,
} from '@coxswain/apimachinery';
import {
  validatePersistentVolumeClaimSpec,
  warningsForPersistentVolumeClaimSpec,
} from '../../core/v1/persistent-volume-claim/index.ts';
import {
  invalidEach,
  type PodValidationOptions,
  podTemplateValidationOptions,
  sortedEntries,
  validatePodTemplateSpec,
} from '../../core/v1/pod/index.ts';
import { validatePodAnnotations } from '../../core/v1/pod/pod-annotations.ts';
import type {
  StatefulSet as APIStatefulSet,
  RollingUpdateStatefulSetStrategy,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from '../../generated/apps/v1.ts';
import type { PodTemplateSpec, Volume } from '../../generated/core/v1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { intOrPercentValue, validateNotMoreThan100Percent, validatePositiveIntOrPercent } from './int-or-percent.ts';
import { internalForm } from './internal-form.ts';
import { podTemplateHooks } from './pod-template-hooks.ts';
import { sameWorkloadSpec } from './same-spec.ts';
import { printableSelector, selectorOf, validateControllerSelector } from './selector.ts';
import { type CountRules, validateCollisionCount, validateCounts } from './status-counts.ts';
import { statefulSetTable } from './tables.ts';
import type { WithSpec } from './with-spec.ts';

type StatefulSet = WithSpec<APIStatefulSet>;

const path = Path.of('spec');
const statusPath = Path.of('status');
const retentionPolicies = ['Retain', 'Delete'];

function validateRollingUpdate({ partition, maxUnavailable }: RollingUpdateStatefulSetStrategy, at: Path): ErrorList {
  const errors = validateNonnegativeField(partition, at.child('partition'));
  if (maxUnavailable === undefined) return errors;
  const unavailablePath = at.child('maxUnavailable');
  errors.push(...validatePositiveIntOrPercent(maxUnavailable, unavailablePath));
  if (intOrPercentValue(maxUnavailable) === 0) errors.push(invalid(unavailablePath, maxUnavailable, 'cannot be 0'));
  errors.push(...validateNotMoreThan100Percent(maxUnavailable, unavailablePath));
  return errors;
}

function validateUpdateStrategy(strategy: StatefulSetUpdateStrategy, at: Path): ErrorList {
  const { type, rollingUpdate } = strategy;
  const updatePath = at.child('rollingUpdate');
  if (!type) return [required(at)];
  if (type === 'RollingUpdate') return rollingUpdate ? validateRollingUpdate(rollingUpdate, updatePath) : [];
  if (type !== 'OnDelete')
    return [invalid(at, internalForm('StatefulSetUpdateStrategy', strategy), "must be 'RollingUpdate' or 'OnDelete'")];
  if (!rollingUpdate) return [];
  const value = internalForm('RollingUpdateStatefulSetStrategy', rollingUpdate);
  return [invalid(updatePath, value, "only allowed for updateStrategy 'RollingUpdate'")];
}

/**
 * Returns the template of the pods that the controller creates: with volumes for the claims, and without hostname and
 * subdomain, which the controller sets.
 */
function podTemplateOf({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const spec = template.spec ?? { containers: [] };
  const claims = new Map<string, Volume>();
  for (const { metadata } of volumeClaimTemplates) {
    const name = metadata.name ?? '';
    claims.set(name, { name, persistentVolumeClaim: { claimName: name } });
  }
  const volumes = [...claims.values(), ...(spec.volumes ?? []).filter(({ name }) => !claims.has(name))];
  return {
    ...template,
    spec: { ...spec, hostname: undefined, subdomain: undefined, ...(volumes.length > 0 && { volumes }) },
  };
}

interface Leniency {
  /** Skips fields that cannot change: they were validated on create. */
  readonly isUpdate: boolean;
  readonly skipPodTemplate: boolean;
}

function validateTemplate(
  spec: StatefulSetSpec,
  { skipPodTemplate }: Leniency,
  options: PodValidationOptions,
): ErrorList {
  const at = path.child('template');
  const selects = selectorOf(spec.selector);
  if (!selects) return [invalid(path.child('selector'), printableSelector(spec.selector), '')];
  const template = podTemplateOf(spec);
  const { metadata: { labels, annotations } = {} } = template;
  const errors: ErrorList = [];
  if (!selects.matches(labels ?? {})) {
    const badValue = labels && Object.fromEntries(sortedEntries(labels));
    errors.push(invalid(at.child('metadata', 'labels'), badValue, '`selector` does not match template `labels`'));
  }
  if (!skipPodTemplate) errors.push(...validatePodTemplateSpec(template, at, options));
  const annotationsPath = at.child('annotations');
  errors.push(...validateLabels(labels, at.child('labels')));
  errors.push(...validateAnnotations(annotations, annotationsPath));
  errors.push(...validatePodAnnotations(annotations, template.spec ?? { containers: [] }, annotationsPath, options));
  return errors;
}

function validateSpec(spec: StatefulSetSpec, leniency: Leniency, options: PodValidationOptions): ErrorList {
  const { podManagementPolicy, persistentVolumeClaimRetentionPolicy: retention, serviceName, template } = spec;
  const errors: ErrorList = [];
  const policyPath = path.child('podManagementPolicy');
  if (!podManagementPolicy) errors.push(required(policyPath));
  else if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel')
    errors.push(invalid(policyPath, podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  errors.push(...validateUpdateStrategy(spec.updateStrategy ?? {}, path.child('updateStrategy')));
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const value = retention?.[field] ?? '';
    if (retention && !retentionPolicies.includes(value))
      errors.push(notSupported(path.child('persistentVolumeClaimRetentionPolicy', field), value, retentionPolicies));
  }
  if (!leniency.isUpdate) {
    spec.volumeClaimTemplates?.forEach(({ spec: claim = {} }, i) => {
      const at = path.child('volumeClaimTemplates').index(i).child('spec');
      errors.push(...validatePersistentVolumeClaimSpec(claim, at));
    });
  }
  errors.push(...validateNonnegativeField(spec.replicas, path.child('replicas')));
  errors.push(...validateNonnegativeField(spec.minReadySeconds, path.child('minReadySeconds')));
  errors.push(...validateNonnegativeField(spec.ordinals?.start, path.child('ordinals.start')));
  if (!leniency.isUpdate && serviceName)
    errors.push(...invalidEach(path.child('serviceName'), serviceName, isDns1123Label(serviceName)));
  errors.push(...validateControllerSelector(spec.selector, 'statefulset', path.child('selector')));
  errors.push(...validateTemplate(spec, leniency, options));
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {};
  const podPath = path.child('template', 'spec');
  if (restartPolicy !== 'Always') errors.push(notSupported(podPath.child('restartPolicy'), restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden(podPath.child('activeDeadlineSeconds'), 'activeDeadlineSeconds in StatefulSet is not Supported'),
    );
  return errors;
}

const mutableFields = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

const forbiddenUpdate =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function validateUpdate({ spec }: StatefulSet, { spec: old }: StatefulSet, context: StrategyContext): ErrorList {
  const options = podTemplateValidationOptions(context, old.template);
  // The pod template is not validated when the old spec is invalid by the current rules, so that other fields stay updatable.
  const oldErrors = validateSpec(old, { isUpdate: true, skipPodTemplate: false }, options);
  const leniency = { isUpdate: true, skipPodTemplate: oldErrors.length > 0 };
  const errors = validateSpec(spec, leniency, options);
  const fixed = { ...spec, ...Object.fromEntries(mutableFields.map((field) => [field, old[field]])) };
  if (!sameWorkloadSpec(fixed, old)) errors.push(forbidden(path, forbiddenUpdate));
  return errors;
}

const statusRules: CountRules<StatefulSetStatus> = {
  nonNegative: [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ],
  atMost: [
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['currentReplicas', 'replicas', 'status.replicas'],
    ['updatedReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
  ],
};

/**
 * Sets maxUnavailable of a rolling update to 1 by default while the feature is on. While it is off, drops the field
 * unless the old object has it.
 */
function prepareMaxUnavailable(
  { spec }: StatefulSet,
  old: StatefulSet | undefined,
  { features }: StrategyContext,
): void {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (!rollingUpdate) return;
  if (features.enabled('MaxUnavailableStatefulSet')) {
    if (type === 'RollingUpdate') rollingUpdate.maxUnavailable ??= 1;
  } else if (old?.spec.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) {
    delete rollingUpdate.maxUnavailable;
  }
}

/** `field` is the last element of the path to a claim's spec: upstream uses two different paths. */
function claimWarnings({ spec }: StatefulSet, field?: string): string[] {
  const claims = path.child('volumeClaimTemplates');
  const warnings = (spec.volumeClaimTemplates ?? []).flatMap(({ spec: claim = {} }, i) =>
    warningsForPersistentVolumeClaimSpec(claim, field ? claims.index(i).child(field) : claims.index(i)),
  );
  if ((spec.revisionHistoryLimit ?? 0) < 0)
    warnings.push(
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    );
  return warnings;
}

const hooks = podTemplateHooks<StatefulSet>();

export const statefulSetStrategy: Strategy<StatefulSet> = {
  validateName: nameIsDnsLabel,
  generation: ({ spec }, old) => !sameWorkloadSpec(spec, old.spec),
  prepareForCreate(statefulSet, context) {
    prepareMaxUnavailable(statefulSet, undefined, context);
    hooks.prepareForCreate(statefulSet, context);
  },
  prepareForUpdate(statefulSet, old, context) {
    prepareMaxUnavailable(statefulSet, old, context);
    hooks.prepareForUpdate(statefulSet, old, context);
  },
  validate: ({ spec }, context) =>
    validateSpec(spec, { isUpdate: false, skipPodTemplate: false }, podTemplateValidationOptions(context)),
  validateUpdate,
  warningsOnCreate: (statefulSet, context) => [
    ...hooks.warningsOnCreate(statefulSet, context),
    ...claimWarnings(statefulSet),
  ],
  warningsOnUpdate: (statefulSet, old, context) => [
    ...hooks.warningsOnUpdate(statefulSet, old, context),
    ...claimWarnings(statefulSet, 'Spec'),
  ],
  subresources: {
    status: {
      owns: ['status'],
      validatesMetadataUpdate: true,
      validateUpdate: ({ metadata, status }, old) => [
        ...validateCounts(status, statusRules, statusPath),
        ...validateObjectMetaUpdate(metadata, old.metadata, Path.of('metadata')),
        ...validateCollisionCount(status, old.status, statusPath),
      ],
    },
  },
  table: statefulSetTable,
};
