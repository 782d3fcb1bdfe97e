import { type FieldError, invalid, type Path } from '@coxswain/apimachinery';

/** Makes an error once it is known where the value stands. */
export type Problem = (root: Path) => FieldError;

/** What came of a check. Of alternatives that all fail, the one with the most matches is reported. */
export interface Result {
  readonly problems: Problem[];
  matches: number;
}

/** Checks a value; `name` is its path from the value the validation started at. */
export type Check = (value: unknown, name: string) => Result;

/** The path of what stands at `name` below the root. */
export const placeOf = (root: Path, name: string): Path => {
  const child = name.replace(/^\./, '');
  return child === '' ? root : root.child(child);
};

/** A problem of the value named, described as upstream's validator does. */
export const problemAt =
  (name: string, value: unknown, detail: string): Problem =>
  (root) =>
    invalid(placeOf(root, name), value ?? '', `${name} in body ${detail}`);

/** A problem that upstream does not say the place of. */
export const problemSomewhere =
  (detail: string): Problem =>
  (root) =>
    invalid(root, '', detail);
