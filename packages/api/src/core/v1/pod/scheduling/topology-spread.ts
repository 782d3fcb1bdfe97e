import {
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  type LabelSelector,
  type Path,
  required,
  validateLabelName,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import type { TopologySpreadConstraint } from '../../../../generated/core/v1.ts';
import { checkSupported, unlessSupported } from '../../checks.ts';
import type { PodValidationOptions } from '../validation-options.ts';

function checkPositive(path: Path, name: string, value: number, errors: ErrorList): void {
  if (value <= 0) errors.push(invalid(path.child(name), value, 'must be greater than zero'));
}

const unsatisfiableActions = ['DoNotSchedule', 'ScheduleAnyway'];
const inclusionPolicies = ['Honor', 'Ignore'];

export function validateTopologySpreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  const lastOfKind = new Map(constraints.map((constraint, i) => [kindOf(constraint), i]));
  constraints.forEach((constraint, i) => {
    validateConstraint(constraint, lastOfKind.get(kindOf(constraint)) !== i, path.index(i), options, errors);
  });
}

/** Returns the identity of a constraint, which must be unique: its topology key and whenUnsatisfiable. */
const kindOf = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
  JSON.stringify([topologyKey, whenUnsatisfiable]);

function validateConstraint(
  constraint: TopologySpreadConstraint,
  comesAgain: boolean,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector, minDomains, matchLabelKeys } = constraint;
  checkPositive(path, 'maxSkew', maxSkew, errors);
  if (!topologyKey) errors.push(required(path.child('topologyKey'), 'can not be empty'));
  unlessSupported(path.child('whenUnsatisfiable'), whenUnsatisfiable, unsatisfiableActions, errors);
  if (comesAgain)
    errors.push(duplicate(path.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`));
  if (minDomains !== undefined) {
    checkPositive(path, 'minDomains', minDomains, errors);
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
      errors.push(invalid(path.child('minDomains'), minDomains, detail));
    }
  }
  checkSupported(path, 'nodeAffinityPolicy', constraint.nodeAffinityPolicy, inclusionPolicies, errors);
  checkSupported(path, 'nodeTaintsPolicy', constraint.nodeTaintsPolicy, inclusionPolicies, errors);
  if (options.legacyMatchLabelKeys)
    validateLegacyMatchLabelKeys(path.child('matchLabelKeys'), matchLabelKeys, labelSelector, errors);
  else validateMatchLabelKeys(path, matchLabelKeys, labelSelector, errors);
  if (!options.allowInvalidTopologySpreadConstraintLabelSelector)
    validateLabelSelector(labelSelector, {}, path.child('labelSelector'), errors);
}

type Keys = readonly string[] | undefined;

function validateLabelKeys(path: Path, keys: Keys, selector: LabelSelector | undefined, errors: ErrorList): void {
  if (!keys || keys.length === 0) return;
  if (selector)
    keys.forEach((key, i) => {
      validateLabelName(key, path.index(i), errors);
    });
  else errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
}

/**
 * Validates matchLabelKeys and mismatchLabelKeys. They have already been merged into the selector, so a key appears
 * there twice only if the user's selector has it too.
 */
export function validateMatchAndMismatchLabelKeys(
  path: Path,
  matchLabelKeys: Keys,
  mismatchLabelKeys: Keys,
  selector: LabelSelector | undefined,
  errors: ErrorList,
): void {
  if (!matchLabelKeys && !mismatchLabelKeys) return;
  validateLabelKeys(path.child('matchLabelKeys'), matchLabelKeys, selector, errors);
  validateLabelKeys(path.child('mismatchLabelKeys'), mismatchLabelKeys, selector, errors);
  if (!matchLabelKeys) return;
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const { key } of selector?.matchExpressions ?? []) {
    const i = matchLabelKeys.lastIndexOf(key);
    if (i >= 0 && seen.has(key))
      errors.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
    seen.add(key);
  }
  matchLabelKeys.forEach((key, i) => {
    if (mismatchLabelKeys?.includes(key)) {
      const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
      errors.push(invalid(path.child('matchLabelKeys').index(i), key, detail));
    }
  });
}

/** Validates matchLabelKeys of topology spread constraints, which have no mismatchLabelKeys. */
export function validateMatchLabelKeys(
  path: Path,
  keys: Keys,
  selector: LabelSelector | undefined,
  errors: ErrorList = [],
): ErrorList {
  validateMatchAndMismatchLabelKeys(path, keys, undefined, selector, errors);
  return errors;
}

/** Validates matchLabelKeys by the older rule, for keys that are not merged into the selector. */
export function validateLegacyMatchLabelKeys(
  path: Path,
  keys: Keys,
  selector: LabelSelector | undefined,
  errors: ErrorList = [],
): ErrorList {
  if (!keys || keys.length === 0) return errors;
  if (!selector) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  const inSelector = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  keys.forEach((key, i) => {
    validateLabelName(key, path.index(i), errors);
    if (inSelector.has(key))
      errors.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
  });
  return errors;
}
