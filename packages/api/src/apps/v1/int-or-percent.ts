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

/** Returns the number itself, or that of the percentage; zero for any other string. */
export const intOrPercentValue = (value: IntOrString = 0): number =>
  isPercentage(value) ? Number(value.slice(0, -1)) : intValue(value);

/** Accepts non-negative numbers and percentages of any size. */
export function validatePositiveIntOrPercent(value: IntOrString = 0, path: Path): ErrorList {
  if (typeof value === 'number') return validateNonnegativeField(value, path);
  return isValidPercent(value).map((message) => invalid(path, value, message));
}

/** Refuses percentages above 100. Numbers are not checked. */
export const validateNotMoreThan100Percent = (value: IntOrString = 0, path: Path): ErrorList =>
  isPercentage(value) && intOrPercentValue(value) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
