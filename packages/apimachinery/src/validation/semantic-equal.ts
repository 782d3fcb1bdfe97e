import { isJsonObject, ownEntry } from '../json/own-entry.ts';

/**
 * Whether two JSON values mean the same to upstream: like deep equality, except that an absent list and an empty one are equal. The texts
 * of quantities and times are compared, so they must be in canonical form.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // Uses a list of pairs to compare instead of recursion: a client may nest values to any depth.
  const pending: unknown[] = [a, b];
  while (pending.length > 0) {
    const right = pending.pop();
    const left = pending.pop();
    if (left === right) continue;
    if (isAbsent(left) || isAbsent(right)) {
      if (!(isEmptyOrAbsent(left) && isEmptyOrAbsent(right))) return false;
    } else if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false;
      for (let i = 0; i < left.length; i++) pending.push(left[i], right[i]);
    } else if (isJsonObject(left) && isJsonObject(right)) {
      for (const key of Object.keys(left)) pending.push(left[key], ownEntry(right, key));
      for (const key of Object.keys(right)) if (!Object.hasOwn(left, key)) pending.push(undefined, right[key]);
    } else {
      return false;
    }
  }
  return true;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isEmptyOrAbsent = (value: unknown): boolean => isAbsent(value) || (Array.isArray(value) && value.length === 0);
