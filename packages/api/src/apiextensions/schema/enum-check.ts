import { jsonEquals, notSupported, stringifyJson } from '@coxswain/apimachinery';
import { withSortedKeys } from './sorted-keys.ts';
import type { ValidationRun } from './validation-run.ts';

/** That a value is one of those listed; null is none of them, whatever the list says. */
export function compileEnumCheck(
  values: readonly unknown[] | undefined,
): ((value: unknown, run: ValidationRun) => void) | undefined {
  if (!values?.length) return undefined;
  const scalars = new Set(values.filter((value) => value !== null && typeof value !== 'object'));
  const others = values.filter((value) => value !== null && typeof value === 'object');
  /** Go converts a value to the type of each before it compares them: to whole numbers, and those to characters. */
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
