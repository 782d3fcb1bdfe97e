import { checkField, type ErrorList, forbidden, invalid, invalidEach, type Path, required } from '../field/index.ts';
import { isQualifiedName, isValidLabelValue } from './label-format.ts';

export interface LabelSelectorValidationOptions {
  /** Objects stored before values were validated must stay updatable. */
  readonly allowInvalidLabelValueInSelector?: boolean;
  /** For access reviews, which pass on unknown operators. */
  readonly allowUnknownOperatorInRequirement?: boolean;
}

export type FieldSelectorValidationOptions = Pick<LabelSelectorValidationOptions, 'allowUnknownOperatorInRequirement'>;

/** A decoded requirement of a label or field selector. Its operator may be any text. */
interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface UncheckedLabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

/** Validates the key of a label, or another value with the same rule: condition types, topology keys. */
export function validateLabelName(name: string, path: Path, errors: ErrorList = []): ErrorList {
  return invalidEach(path, name, isQualifiedName(name), errors);
}

/** Validates labels. Errors have the path of the map, not of the key, because an invalid key may contain anything. */
export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  if (labels === undefined) return errors;
  for (const key of Object.keys(labels)) {
    const value = labels[key]!;
    validateLabelName(key, path, errors);
    invalidEach(path, value, isValidLabelValue(value), errors);
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
  errors: ErrorList = [],
): ErrorList {
  if (selector === undefined) return errors;
  const { matchLabels, matchExpressions } = selector;
  if (matchLabels) validateLabels(matchLabels, path.child('matchLabels'), errors);
  matchExpressions?.forEach((expression, i) => {
    validateLabelSelectorRequirement(expression, options, path.child('matchExpressions').index(i), errors);
  });
  return errors;
}

export function validateLabelSelectorRequirement(
  requirement: SelectorRequirement,
  options: LabelSelectorValidationOptions,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  validateOperator(requirement, options, path, errors);
  checkField(path, 'key', requirement.key, isQualifiedName, errors);
  if (options.allowInvalidLabelValueInSelector) return errors;
  requirement.values?.forEach((value, i) => {
    invalidEach(path.child('values').index(i), value, isValidLabelValue(value), errors);
  });
  return errors;
}

export function validateFieldSelectorRequirement(
  requirement: SelectorRequirement,
  options: FieldSelectorValidationOptions,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  if (requirement.key === '') errors.push(required(path.child('key'), 'must be specified'));
  validateOperator(requirement, options, path, errors);
  return errors;
}

/** `In` and `NotIn` need values; `Exists` and `DoesNotExist` must have none. */
function validateOperator(
  { operator, values = [] }: SelectorRequirement,
  { allowUnknownOperatorInRequirement }: FieldSelectorValidationOptions,
  path: Path,
  errors: ErrorList,
): void {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.push(
          forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
      break;
    default:
      if (!allowUnknownOperatorInRequirement)
        errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  }
}
