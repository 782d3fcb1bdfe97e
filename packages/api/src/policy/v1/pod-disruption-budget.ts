import {
  type ErrorList,
  invalid,
  Path,
  semanticEqual,
  validateConditions,
  validateLabelSelector,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import { validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../../apps/v1/int-or-percent.ts';
import { isEmptySelector } from '../../apps/v1/selector.ts';
import type { WithSpec } from '../../apps/v1/with-spec.ts';
import { unlessSupported } from '../../core/v1/pod/index.ts';
import type { PodDisruptionBudget as APIPodDisruptionBudget } from '../../generated/policy/v1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns, type TablePrinter } from '../../strategy/table.ts';

type PodDisruptionBudget = WithSpec<APIPodDisruptionBudget>;

const path = Path.of('spec');
const statusPath = Path.of('status');
const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];
const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

/**
 * The label by which v1beta1, whose empty selector matched no pods, expressed selectors for all pods or none. It has no
 * other meaning.
 */
const emptySelectorLabel = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';
const matchNone = { matchExpressions: [{ key: emptySelectorLabel, operator: 'Exists' }] };

const internalForm = internalFormOf(
  'PodDisruptionBudgetSpec MinAvailable:*v Selector:*selector MaxUnavailable:*v UnhealthyPodEvictionPolicy:*s',
);

export function setPodDisruptionBudgetDefaults({ spec: { selector } }: PodDisruptionBudget): void {
  if (!selector?.matchExpressions || isEmptySelector(selector) || semanticEqual(selector, matchNone)) return;
  const kept = selector.matchExpressions.filter(({ key }) => key !== emptySelectorLabel);
  if (kept.length > 0) selector.matchExpressions = kept;
  else delete selector.matchExpressions;
}

function validateBudget({ spec }: PodDisruptionBudget, allowInvalidLabelValueInSelector: boolean): ErrorList {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  const errors: ErrorList = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const value = internalForm('PodDisruptionBudgetSpec', spec);
    errors.push(invalid(path, value, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (value === undefined) continue;
    errors.push(...validatePositiveIntOrPercent(value, path.child(field)));
    errors.push(...validateNotMoreThan100Percent(value, path.child(field)));
  }
  errors.push(...validateLabelSelector(selector, { allowInvalidLabelValueInSelector }, path.child('selector')));
  if (unhealthyPodEvictionPolicy !== undefined)
    errors.push(
      ...unlessSupported(path.child('unhealthyPodEvictionPolicy'), unhealthyPodEvictionPolicy, evictionPolicies),
    );
  return errors;
}

const podDisruptionBudgetTable: TablePrinter<PodDisruptionBudget> = {
  columns: columns('Name', 'Min Available', 'Max Unavailable', 'Allowed Disruptions:integer', 'Age'),
  row: ({ metadata, spec, status }, context) => [
    metadata.name ?? '',
    String(spec.minAvailable ?? 'N/A'),
    String(spec.maxUnavailable ?? 'N/A'),
    status?.disruptionsAllowed ?? 0,
    translateTimestampSince(metadata.creationTimestamp, context),
  ],
};

export const podDisruptionBudgetStrategy: Strategy<PodDisruptionBudget> = {
  allowUnconditionalUpdate: false,
  generation: ['spec'],
  validate: (budget) => validateBudget(budget, false),
  validatesMetadata: true,
  validateUpdate: (budget, old) =>
    validateBudget(budget, validateLabelSelector(old.spec.selector, {}, path).length > 0),
  validatesMetadataUpdate: true,
  subresources: {
    status: {
      owns: ['status'],
      validateUpdate: ({ status }) => [
        ...validateConditions(status?.conditions, statusPath.child('conditions')),
        ...counts.flatMap((field) => validateNonnegativeField(status?.[field], statusPath.child(field))),
      ],
      validatesMetadataUpdate: true,
    },
  },
  table: podDisruptionBudgetTable,
};
