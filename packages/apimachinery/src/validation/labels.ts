import { type ErrorList, forbidden, invalid, type Path, required } from '../field/index.ts';
import { isQualifiedName, isValidLabelValue } from './label-format.ts';

export interface LabelSelectorValidationOptions {
  /** Objects stored before values were checked must stay updatable. */
  readonly allowInvalidLabelValueInSelector?: boolean;
  /** For access reviews, which pass on operators that they do not know. */
  readonly allowUnknownOperatorInRequirement?: boolean;
}

export type FieldSelectorValidationOptions = Pick<LabelSelectorValidationOptions, 'allowUnknownOperatorInRequirement'>;

/** A requirement of a label or field selector as it was decoded: the operator may be anything. */
interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface UncheckedLabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

/** The key of a label, or whatever else follows the same rule: condition types, topology keys. */
export function validateLabelName(name: string, path: Path): ErrorList {
  return isQualifiedName(name).map((message) => invalid(path, name, message));
}

/** Errors name the map, not the key: a key could hold anything. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (labels === undefined) return errors;
  for (const key of Object.keys(labels)) {
    const value = labels[key]!;
    errors.push(...validateLabelName(key, path));
    for (const message of isValidLabelValue(value)) errors.push(invalid(path, value, message));
  }
  return errors;
}

export function labelSelectorHasInvalidLabelValue(selector: UncheckedLabelSelector | undefined): boolean {
  const values = selector?.matchExpressions?.flatMap((expression) => expression.values ?? []) ?? [];
  return values.some((value) => isValidLabelValue(value).length > 0);
}

export function validateLabelSelector(
  selector: UncheckedLabelSelector | undefined,
  options: LabelSelectorValidationOptions,
  path: Path,
): ErrorList {
  if (selector === undefined) return [];
  const errors = validateLabels(selector.matchLabels, path.child('matchLabels'));
  selector.matchExpressions?.forEach((expression, i) => {
    errors.push(...validateLabelSelectorRequirement(expression, options, path.child('matchExpressions').index(i)));
  });
  return errors;
}

export function validateLabelSelectorRequirement(
  requirement: SelectorRequirement,
  options: LabelSelectorValidationOptions,
  path: Path,
): ErrorList {
  const errors = validateOperator(requirement, options, path);
  errors.push(...validateLabelName(requirement.key, path.child('key')));
  if (options.allowInvalidLabelValueInSelector) return errors;
  requirement.values?.forEach((value, i) => {
    for (const message of isValidLabelValue(value)) errors.push(invalid(path.child('values').index(i), value, message));
  });
  return errors;
}

export function validateFieldSelectorRequirement(
  requirement: SelectorRequirement,
  options: FieldSelectorValidationOptions,
  path: Path,
): ErrorList {
  const missingKey = requirement.key === '' ? [required(path.child('key'), 'must be specified')] : [];
  return [...missingKey, ...validateOperator(requirement, options, path)];
}

/** Sets need values, existence has none. */
function validateOperator(
  { operator, values = [] }: SelectorRequirement,
  { allowUnknownOperatorInRequirement }: FieldSelectorValidationOptions,
  path: Path,
): ErrorList {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      if (allowUnknownOperatorInRequirement) return [];
      return [invalid(path.child('operator'), operator, 'not a valid selector operator')];
  }
}
