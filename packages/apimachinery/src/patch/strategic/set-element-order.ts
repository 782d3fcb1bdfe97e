import { formatValue } from '../../json/go-value.ts';
import { isJsonObject } from '../../json/index.ts';
import { PatchError } from '../patch-error.ts';
import { isDeleteItem, mergeKeyOf, PATCH, SET_ELEMENT_ORDER } from './directives.ts';

type List = readonly unknown[];

/**
 * Throws PatchError when the patch's items, except those with a directive, are not all in the `$setElementOrder` list, or are in another
 * order.
 */
export function assertOrderMatches(patch: List, wanted: List, mergeKey: string): void {
  if (patch.length === 0 || wanted.length === 0) return;
  const items = mergeKey === '' ? patch : patch.filter((item) => !isDeleteItem(item));
  let matched = 0;
  let place = 0;
  while (matched < items.length && place < wanted.length) {
    if (hasDirective(items[matched])) {
      matched++;
    } else if (sameItem(items[matched], wanted[place++], mergeKey)) {
      matched++;
    }
  }
  if (matched < items.length && place >= wanted.length) {
    throw new PatchError(
      `The order in patch list:\n${formatValue(patch)}\n doesn't match ${SET_ELEMENT_ORDER} list:\n${formatValue(wanted)}\n`,
    );
  }
}

const hasDirective = (item: unknown): boolean => isJsonObject(item) && Object.hasOwn(item, PATCH);

/** Whether two items have the same merge key, or are the same scalar. Throws PatchError when a merge key is missing. */
export function sameItem(a: unknown, b: unknown, mergeKey: string): boolean {
  return mergeKey === '' ? a === b : mergeKeyOf(a, mergeKey) === mergeKeyOf(b, mergeKey);
}
