import { JsonDepthError, MAX_JSON_DEPTH } from './depth.ts';
import { setOwnEntry } from './own-entry.ts';

/**
 * Returns a deep copy of plain data: objects, lists, strings, numbers, bigints, booleans, null. Shares nothing with the original. Own
 * `__proto__` keys stay own properties. Throws JsonDepthError beyond MAX_JSON_DEPTH, and so on cycles.
 */
export function cloneJson<T>(value: T): T;
// The overload states what the recursive implementation cannot: the copy has the type of the original.
export function cloneJson(value: unknown): unknown {
  return isContainer(value) ? cloneContainer(value, 1) : value;
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function cloneContainer(value: Record<string, unknown>, depth: number): unknown {
  if (depth > MAX_JSON_DEPTH) throw new JsonDepthError();
  if (Array.isArray(value)) {
    const { length } = value;
    const list: unknown[] = new Array(length);
    for (let i = 0; i < length; i++) {
      const item: unknown = value[i];
      list[i] = isContainer(item) ? cloneContainer(item, depth + 1) : item;
    }
    return list;
  }
  const copy: Record<string, unknown> = {};
  // Measured: `for in` beats Object.keys, Object.entries and spreading with replacement on objects of every size.
  for (const key in value) {
    const child = value[key];
    setOwnEntry(copy, key, isContainer(child) ? cloneContainer(child, depth + 1) : child);
  }
  return copy;
}
