import {
  type ErrorList,
  invalid,
  notSupported,
  Path,
  Quantity,
  required,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import { validateNonnegativeQuantity } from '../../core/v1/pod/index.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../generated/autoscaling/v2.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { validateMetrics } from './metrics.ts';
import { apiVersionProblem, type ReferenceOptions, validateCrossVersionObjectReference } from './object-reference.ts';
import { horizontalPodAutoscalerTable } from './table.ts';

const path = Path.of('spec');
const maxPeriodSeconds = 1800;
const maxStabilizationWindowSeconds = 3600;
const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

function validatePolicy({ type, value, periodSeconds }: HPAScalingPolicy, at: Path): ErrorList {
  const errors = policyTypes.includes(type) ? [] : [notSupported(at.child('type'), type, policyTypes)];
  for (const [field, count] of Object.entries({ value, periodSeconds }))
    if (count <= 0) errors.push(invalid(at.child(field), count, 'must be greater than zero'));
  if (periodSeconds > maxPeriodSeconds)
    errors.push(invalid(at.child('periodSeconds'), periodSeconds, `must be less than or equal to ${maxPeriodSeconds}`));
  return errors;
}

function validateScalingRules(rules: HPAScalingRules | undefined, at: Path): ErrorList {
  if (!rules) return [];
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const windowPath = at.child('stabilizationWindowSeconds');
  const errors: ErrorList = [];
  if (window < 0) errors.push(invalid(windowPath, window, 'must be greater than or equal to zero'));
  if (window > maxStabilizationWindowSeconds)
    errors.push(invalid(windowPath, window, `must be less than or equal to ${maxStabilizationWindowSeconds}`));
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy))
    errors.push(notSupported(at.child('selectPolicy'), selectPolicy, selectPolicies));
  if (policies.length === 0) errors.push(required(at.child('policies'), 'must specify at least one Policy'));
  policies.forEach((policy, i) => {
    errors.push(...validatePolicy(policy, at.child('policies').index(i)));
  });
  if (tolerance !== undefined)
    errors.push(...validateNonnegativeQuantity(Quantity.parse(tolerance), at.child('tolerance')));
  return errors;
}

interface Options {
  readonly minReplicas: number;
  readonly target: ReferenceOptions;
  readonly objectMetrics: ReferenceOptions;
}

/**
 * Returns the validation options: values that the old object has are allowed, namely minReplicas 0 and references with
 * an invalid apiVersion.
 */
function optionsFor(
  { spec: { scaleTargetRef } }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { features }: StrategyContext,
): Options {
  const before = old?.spec;
  const mayBeZero = features.enabled('HPAScaleToZero') || before?.minReplicas === 0;
  const isSameTarget =
    before !== undefined &&
    (before.scaleTargetRef.apiVersion ?? '') === (scaleTargetRef.apiVersion ?? '') &&
    before.scaleTargetRef.kind === scaleTargetRef.kind;
  const objectMetrics = { allowEmptyAPIGroup: true, allowInvalidAPIVersion: false };
  const hadInvalidObject = (before?.metrics ?? []).some(
    ({ type, object }) =>
      type === 'Object' && object && apiVersionProblem(object.describedObject, objectMetrics) !== undefined,
  );
  return {
    minReplicas: mayBeZero ? 0 : 1,
    target: {
      allowEmptyAPIGroup: scaleTargetRef.kind === 'ReplicationController',
      allowInvalidAPIVersion: isSameTarget,
    },
    objectMetrics: { ...objectMetrics, allowInvalidAPIVersion: hadInvalidObject },
  };
}

function validateSpec(spec: HorizontalPodAutoscalerSpec, options: Options): ErrorList {
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = spec;
  const maxPath = path.child('maxReplicas');
  const errors: ErrorList = [];
  if (minReplicas !== undefined && minReplicas < options.minReplicas) {
    const detail = `must be greater than or equal to ${options.minReplicas}`;
    errors.push(invalid(path.child('minReplicas'), minReplicas, detail));
  }
  if (maxReplicas === 0) errors.push(required(maxPath, 'must be set and greater than 0'));
  else if (maxReplicas < 0) errors.push(invalid(maxPath, maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  errors.push(...validateCrossVersionObjectReference(scaleTargetRef, path.child('scaleTargetRef'), options.target));
  errors.push(...validateMetrics(metrics, minReplicas, path.child('metrics'), options.objectMetrics));
  errors.push(...validateScalingRules(behavior?.scaleUp, path.child('behavior', 'scaleUp')));
  errors.push(...validateScalingRules(behavior?.scaleDown, path.child('behavior', 'scaleDown')));
  return errors;
}

const rulesOf = ({ spec: { behavior } }: HorizontalPodAutoscaler): HPAScalingRules[] =>
  [behavior?.scaleDown, behavior?.scaleUp].filter((rules) => rules !== undefined);

function dropTolerance(
  autoscaler: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { features }: StrategyContext,
): void {
  if (features.enabled('HPAConfigurableTolerance')) return;
  if (old && rulesOf(old).some(({ tolerance }) => tolerance !== undefined)) return;
  for (const rules of rulesOf(autoscaler)) delete rules.tolerance;
}

export const horizontalPodAutoscalerStrategy: Strategy<HorizontalPodAutoscaler> = {
  prepareForCreate: (autoscaler, context) => dropTolerance(autoscaler, undefined, context),
  prepareForUpdate: dropTolerance,
  validate: (autoscaler, context) => validateSpec(autoscaler.spec, optionsFor(autoscaler, undefined, context)),
  validateUpdate: (autoscaler, old, context) => validateSpec(autoscaler.spec, optionsFor(autoscaler, old, context)),
  subresources: {
    status: {
      owns: ['status'],
      validateUpdate: ({ status }) => [
        ...validateNonnegativeField(status?.currentReplicas, Path.of('status', 'currentReplicas')),
        ...validateNonnegativeField(status?.desiredReplicas, Path.of('status', 'desiredReplicas')),
      ],
    },
  },
  table: horizontalPodAutoscalerTable,
};
