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
import type { TopologySpreadConstraint } from '../../../generated/core/v1.ts';
import { unlessSupported } from './checks.ts';
import type { PodValidationOptions } from './validation-options.ts';

const validatePositive = (value: number, path: Path): ErrorList =>
  value <= 0 ? [invalid(path, value, 'must be greater than zero')] : [];

export function validateTopologySpreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  return constraints.flatMap((constraint, i) =>
    validateConstraint(constraint, constraints.slice(i + 1), path.index(i), options),
  );
}

function validateConstraint(
  constraint: TopologySpreadConstraint,
  later: readonly TopologySpreadConstraint[],
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector, minDomains, matchLabelKeys = [] } = constraint;
  const errors = validatePositive(maxSkew, path.child('maxSkew'));
  if (!topologyKey) errors.push(required(path.child('topologyKey'), 'can not be empty'));
  errors.push(
    ...unlessSupported(path.child('whenUnsatisfiable'), whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']),
  );
  if (later.some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable))
    errors.push(duplicate(path.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`));
  if (minDomains !== undefined) {
    const at = path.child('minDomains');
    errors.push(...validatePositive(minDomains, at));
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
      errors.push(invalid(at, minDomains, detail));
    }
  }
  for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
    const policy = constraint[name];
    if (policy !== undefined) errors.push(...unlessSupported(path.child(name), policy, ['Honor', 'Ignore']));
  }
  errors.push(
    ...(options.legacyMatchLabelKeys
      ? validateLegacyMatchLabelKeys(path.child('matchLabelKeys'), matchLabelKeys, labelSelector)
      : validateMatchLabelKeys(path, matchLabelKeys, labelSelector)),
  );
  if (!options.allowInvalidTopologySpreadConstraintLabelSelector)
    errors.push(...validateLabelSelector(labelSelector, {}, path.child('labelSelector')));
  return errors;
}

function validateLabelKeys(path: Path, keys: readonly string[], selector: LabelSelector | undefined): ErrorList {
  if (keys.length === 0) return [];
  if (!selector) return [forbidden(path, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, i) => validateLabelName(key, path.index(i)));
}

/**
 * The keys of labels that a pod takes from itself into a selector. They have been merged into the selector already,
 * so a key is there twice only if the user wrote it there too.
 */
export function validateMatchAndMismatchLabelKeys(
  path: Path,
  matchLabelKeys: readonly string[],
  mismatchLabelKeys: readonly string[],
  selector: LabelSelector | undefined,
): ErrorList {
  const errors = [
    ...validateLabelKeys(path.child('matchLabelKeys'), matchLabelKeys, selector),
    ...validateLabelKeys(path.child('mismatchLabelKeys'), mismatchLabelKeys, selector),
  ];
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const { key } of selector?.matchExpressions ?? []) {
    const i = matchLabelKeys.lastIndexOf(key);
    if (i >= 0 && seen.has(key))
      errors.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
    seen.add(key);
  }
  matchLabelKeys.forEach((key, i) => {
    if (mismatchLabelKeys.includes(key)) {
      const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
      errors.push(invalid(path.child('matchLabelKeys').index(i), key, detail));
    }
  });
  return errors;
}

/** The same for constraints, which have no keys that must not match. */
export const validateMatchLabelKeys = (
  path: Path,
  keys: readonly string[],
  selector: LabelSelector | undefined,
): ErrorList => validateMatchAndMismatchLabelKeys(path, keys, [], selector);

/** The rule from before the keys were merged into the selector. */
export function validateLegacyMatchLabelKeys(
  path: Path,
  keys: readonly string[],
  selector: LabelSelector | undefined,
): ErrorList {
  if (keys.length === 0) return [];
  const errors: ErrorList = selector ? [] : [forbidden(path, 'must not be specified when labelSelector is not set')];
  const inSelector = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  keys.forEach((key, i) => {
    errors.push(...validateLabelName(key, path.index(i)));
    if (inSelector.has(key))
      errors.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
  });
  return errors;
}
