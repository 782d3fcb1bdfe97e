import { jsonEquals, notSupported, stringifyJson } from '@coxswain/apimachinery';
import { withSortedKeys } from './sorted-keys.ts';
import type { ValidationRun } from './validation-run.ts';

/** Compiles the check that a value is in the enum. Null never is, even when it is listed. */
export function compileEnumCheck(
  values: readonly unknown[] | undefined,
): ((value: unknown, run: ValidationRun) => void) | undefined {
  if (!values?.length) return undefined;
  const scalars = new Set(values.filter((value) => value !== null && typeof value !== 'object'));
  const others = values.filter((value) => value !== null && typeof value === 'object');
  /**
   * Go converts the value to the type of each enum value before it compares: a float to an integer, an integer to the
   * character with that code point.
   */
  const hasConverted = (value: unknown): boolean => {
    if (typeof value !== 'number') return false;
    if (!Number.isInteger(value)) return scalars.has(Math.trunc(value));
    return value >= 0 && value <= 0x10ffff && scalars.has(String.fromCodePoint(value));
  };
  return (value, run) => {
    if (
      value !== null && typeof value === 'object'
        ? others.some((other) => jsonEquals(other, value))
        : scalars.has(value)
    )
      return;
    if (hasConverted(value)) return;
    run.fail((path) =>
      notSupported(
        path,
        withSortedKeys(value),
        values.map((one) => (typeof one === 'string' ? one : stringifyJson(withSortedKeys(one)))),
      ),
    );
  };
}
