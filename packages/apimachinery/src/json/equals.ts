import { JsonDepthError, MAX_JSON_DEPTH } from './depth.ts';
import { isJsonObject } from './own-entry.ts';

export interface JsonEqualsOptions {
  /** A key whose value is undefined counts as absent, as it does when the object is written as JSON. */
  undefinedIsAbsent?: boolean;
}

/**
 * Whether two JSON values are the same, whatever the order of keys. A number and a bigint differ: int64 values have
 * one form each. Throws JsonDepthError when both are nested beyond MAX_JSON_DEPTH.
 */
export function jsonEquals(a: unknown, b: unknown, options: JsonEqualsOptions = {}): boolean {
  return equals(a, b, options.undefinedIsAbsent === true, 0);
}

function equals(a: unknown, b: unknown, undefinedIsAbsent: boolean, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth >= MAX_JSON_DEPTH) throw new JsonDepthError();
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => equals(item, b[index], undefinedIsAbsent, depth + 1))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  // Every key of `a` is in `b` with an equal value, and `b` has no more keys than that.
  let matched = 0;
  for (const key in a) {
    const value = a[key];
    if (undefinedIsAbsent && value === undefined) continue;
    if (!Object.hasOwn(b, key) || !equals(value, b[key], undefinedIsAbsent, depth + 1)) return false;
    matched++;
  }
  for (const key in b) {
    if (!(undefinedIsAbsent && b[key] === undefined)) matched--;
  }
  return matched === 0;
}
