import {
  type ErrorList,
  type IntOrString,
  intValue,
  invalid,
  isPercentage,
  isValidPercent,
  type Path,
  validateNonnegativeField,
} from '@coxswain/apimachinery';

/** The number itself, or that of the percentage; zero for a text that is neither. */
export const intOrPercentValue = (value: IntOrString = 0): number =>
  isPercentage(value) ? Number(value.slice(0, -1)) : intValue(value);

/** A number that is not negative, or a percentage of any size. */
export function validatePositiveIntOrPercent(value: IntOrString = 0, path: Path): ErrorList {
  if (typeof value === 'number') return validateNonnegativeField(value, path);
  return isValidPercent(value).map((message) => invalid(path, value, message));
}

/** Numbers are not the concern of this rule. */
export const validateNotMoreThan100Percent = (value: IntOrString = 0, path: Path): ErrorList =>
  isPercentage(value) && intOrPercentValue(value) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
