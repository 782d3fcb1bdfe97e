import { JsonDepthError, MAX_JSON_DEPTH } from './depth.ts';
import { isJsonObject } from './own-entry.ts';

export interface JsonEqualsOptions {
  /** A key whose value is undefined counts as absent, as in JSON text. */
  undefinedIsAbsent?: boolean;
}

/**
 * Whether two JSON values are equal, whatever the order of keys. A number and a bigint are different: each int64 value has only one of
 * the two forms. Throws JsonDepthError when both are nested beyond MAX_JSON_DEPTH.
 */
export function jsonEquals(a: unknown, b: unknown, options: JsonEqualsOptions = {}): boolean {
  return equals(a, b, options.undefinedIsAbsent === true, 0);
}

function equals(a: unknown, b: unknown, undefinedIsAbsent: boolean, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth >= MAX_JSON_DEPTH) throw new JsonDepthError();
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      if (!equals(a[i], b[i], undefinedIsAbsent, depth + 1)) return false;
    }
    return true;
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  // Every key of `a` must be in `b` with an equal value, and `b` must have no more keys. Object.hasOwn is slow, and needed only where an
  // inherited or missing property could be equal: other inherited properties are not JSON values.
  let matched = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined || key === '__proto__') {
      if (undefinedIsAbsent && value === undefined) continue;
      if (!Object.hasOwn(b, key)) return false;
    }
    if (!equals(value, b[key], undefinedIsAbsent, depth + 1)) return false;
    matched++;
  }
  for (const key in b) {
    if (!undefinedIsAbsent || b[key] !== undefined) matched--;
  }
  return matched === 0;
}
