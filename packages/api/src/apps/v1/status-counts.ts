import { type ErrorList, invalid, type Path, validateNonnegativeField } from '@coxswain/apimachinery';

/** Rules for the counters of a status. */
export interface CountRules<T> {
  /** Fields that must not be negative, in the order of the messages. */
  readonly nonNegative: readonly (keyof T & string)[];
  /** Fields that must not be larger than another, and the other's name in the message. */
  readonly atMost: readonly (readonly [field: keyof T & string, bound: keyof T & string, name: string])[];
}

const count = <T>(status: T | undefined, field: keyof T): number => {
  const value = status?.[field];
  return typeof value === 'number' ? value : 0;
};

export function validateCounts<T>(status: T | undefined, rules: CountRules<T>, path: Path): ErrorList {
  return [
    ...rules.nonNegative.flatMap((field) => validateNonnegativeField(count(status, field), path.child(field))),
    ...rules.atMost.flatMap(([field, bound, name]) => {
      const value = count(status, field);
      return value > count(status, bound) ? [invalid(path.child(field), value, `cannot be greater than ${name}`)] : [];
    }),
  ];
}

/** Validates collisionCount: it must not decrease or be removed. */
export function validateCollisionCount(
  status: { readonly collisionCount?: number } | undefined,
  old: { readonly collisionCount?: number } | undefined,
  path: Path,
): ErrorList {
  const before = old?.collisionCount;
  if (before === undefined) return [];
  const now = status?.collisionCount;
  return now === undefined || now < before
    ? [invalid(path.child('collisionCount'), now ?? 0, 'cannot be decremented')]
    : [];
}
