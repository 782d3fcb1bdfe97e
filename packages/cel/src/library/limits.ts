import { MAX_STRING_LENGTH } from '../standard/operators.ts';
import { CelError, type CelList } from '../values/values.ts';

/**
 * Upstream counts the cost of a call when it is done, and a call may take arguments that hold the same list many times
 * over. What goes beyond these is more than any evaluation may cost, or far beyond any object, and is refused first.
 */
const maxElements = 4_000_000;

const tooLarge = (what: string): CelError => new CelError(`operation cancelled: ${what} too large`);

/** Throws CelError for a list that would take too long to walk through. */
export function bounded(list: CelList): CelList {
  checkElements(list.size);
  return list;
}

/** Throws CelError for more elements than a result may have. */
export function checkElements(count: number): void {
  if (count > maxElements) throw tooLarge('list');
}

/** Throws CelError for more UTF-16 units than a result may have. */
export function checkLength(length: number): void {
  if (length > MAX_STRING_LENGTH) throw tooLarge('string');
}
