import { MAX_STRING_LENGTH } from '../standard/operators.ts';
import { CelError, type CelList } from '../values/values.ts';

/**
 * Limits for calls. Upstream counts the cost of a call after it, and arguments can contain the same list many times.
 * Values beyond these limits cost more than an evaluation may, or are far larger than any object, and are refused
 * first.
 */
const maxElements = 4_000_000;

const tooLarge = (what: string): CelError => new CelError(`operation cancelled: ${what} too large`);

/** Returns the list. Throws CelError if it would take too long to traverse. */
export function bounded(list: CelList): CelList {
  checkElements(list.size);
  return list;
}

/** Throws CelError if a result would have too many elements. */
export function checkElements(count: number): void {
  if (count > maxElements) throw tooLarge('list');
}

/** Throws CelError if a result would have too many UTF-16 units. */
export function checkLength(length: number): void {
  if (length > MAX_STRING_LENGTH) throw tooLarge('string');
}
