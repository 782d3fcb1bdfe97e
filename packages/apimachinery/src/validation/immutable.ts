import { type ErrorList, invalid, type Path } from '../field/index.ts';
import { semanticEqual } from './semantic-equal.ts';

export const fieldImmutableErrorMessage = 'field is immutable';
export const isNegativeErrorMessage = 'must be greater than or equal to 0';

/** Adds an error when the two values differ in meaning; see `semanticEqual`. */
export function validateImmutableField(
  newValue: unknown,
  oldValue: unknown,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  if (!semanticEqual(newValue, oldValue)) errors.push(invalid(path, newValue, fieldImmutableErrorMessage));
  return errors;
}

/** An absent value counts as zero. */
export function validateNonnegativeField(
  value: number | bigint | undefined,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, isNegativeErrorMessage));
  return errors;
}
