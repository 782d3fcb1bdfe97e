import { isList } from '../json/go-value.ts';
import { assertJsonDepth, cloneJson, isJsonObject, jsonEquals } from '../json/index.ts';
import type { JsonPatchOperation } from './json-patch.ts';
import { formatJsonPointer } from './json-pointer.ts';

/**
 * Returns operations that turn one document into the other. Both must be objects or lists. Keys are changed one by one. In a list, the
 * items between the common beginning and the common end are changed index by index; then the list is shortened or extended.
 */
export function createJsonPatch(from: unknown, to: unknown): JsonPatchOperation[] {
  assertJsonDepth(to);
  const operations: JsonPatchOperation[] = [];
  collect(from, to, [], operations);
  return operations;
}

function collect(from: unknown, to: unknown, steps: readonly string[], operations: JsonPatchOperation[]): void {
  const at = (step: string | number) => formatJsonPointer([...steps, String(step)]);
  if (isJsonObject(from) && isJsonObject(to)) {
    for (const key of Object.keys(from)) {
      if (!Object.hasOwn(to, key)) operations.push({ op: 'remove', path: at(key) });
    }
    for (const key of Object.keys(to)) {
      if (Object.hasOwn(from, key)) collect(from[key], to[key], [...steps, key], operations);
      else operations.push({ op: 'add', path: at(key), value: cloneJson(to[key]) });
    }
  } else if (isList(from) && isList(to)) {
    const start = commonLength(from.length, to.length, (i) => jsonEquals(from[i], to[i]));
    const end = commonLength(from.length - start, to.length - start, (i) => jsonEquals(from.at(-1 - i), to.at(-1 - i)));
    const oldEnd = from.length - end;
    const newEnd = to.length - end;
    for (let i = start; i < Math.min(oldEnd, newEnd); i++) collect(from[i], to[i], [...steps, String(i)], operations);
    // From the back, so that the indexes of the items that are still to be removed stay valid.
    for (let i = oldEnd - 1; i >= newEnd; i--) operations.push({ op: 'remove', path: at(i) });
    for (let i = oldEnd; i < newEnd; i++) operations.push({ op: 'add', path: at(i), value: cloneJson(to[i]) });
  } else if (!jsonEquals(from, to)) {
    operations.push({ op: 'replace', path: formatJsonPointer(steps), value: cloneJson(to) });
  }
}

/** Returns how many items at the beginning of two lists match. */
function commonLength(a: number, b: number, matches: (index: number) => boolean): number {
  let length = 0;
  while (length < a && length < b && matches(length)) length++;
  return length;
}
