import { isJsonObject, ownEntry } from '../../json/index.ts';
import type { Steps } from '../../steps/index.ts';
import { PatchError } from '../patch-error.ts';
import { expectMap, isDeleteItem, type itemKind, mergeKeyOf } from './directives.ts';

type List = readonly unknown[];

/** How the items of a list are identified: by merge key, or by value when they are scalars. */
export interface Identity {
  readonly kind: ReturnType<typeof itemKind>;
  readonly mergeKey: string;
}

/**
 * Returns the items of a merged list in order. Items in `wanted` take the order of `wanted`. The others keep their order in `live`, and
 * each goes before the first wanted item that follows it in `live`.
 */
export function* arrange(items: List, wanted: List, live: List, identity: Identity): Steps<unknown[]> {
  const [chosen, rest] = partition(items, wanted, identity.mergeKey);
  yield;
  const ranks = rank(live, identity);
  yield;
  const sortedRest = sortLike(rest, live, identity);
  yield;
  const sortedChosen = sortLike(chosen, wanted, identity);
  yield;
  return interleave(sortedRest, sortedChosen, (item) => ranks.get(identify(item, identity)));
}

function partition(items: List, wanted: List, mergeKey: string): [chosen: unknown[], rest: unknown[]] {
  const isWanted = mergeKey === '' ? membership(wanted) : keyMembership(wanted, mergeKey);
  const chosen: unknown[] = [];
  const rest: unknown[] = [];
  for (const item of items) (isWanted(item) ? chosen : rest).push(item);
  return [chosen, rest];
}

function membership(list: List): (item: unknown) => boolean {
  const items = new Set(list);
  return (item) => items.has(item);
}

/**
 * Returns a test whether an item with the same merge key is in the list. It throws PatchError when the search reaches an item of the list
 * that is not an object.
 */
function keyMembership(list: List, mergeKey: string): (item: unknown) => boolean {
  const end = list.findIndex((item) => !isJsonObject(item));
  const keys = new Set(list.slice(0, end < 0 ? undefined : end).map((item) => ownEntry(expectMap(item), mergeKey)));
  return (item) => {
    const found = keys.has(mergeKeyOf(item, mergeKey));
    if (!found && end >= 0) throw new PatchError(`value for key ${end} is not a map`);
    return found;
  };
}

const identify = (item: unknown, { kind, mergeKey }: Identity): unknown =>
  kind === 'scalar' ? item : isJsonObject(item) ? (ownEntry(item, mergeKey) ?? null) : null;

/** Returns the first index of each identity in the list. */
function rank(list: List, identity: Identity): Map<unknown, number> {
  const ranks = new Map<unknown, number>();
  list.forEach((item, index) => {
    const value = identify(item, identity);
    if (!ranks.has(value)) ranks.set(value, index);
  });
  return ranks;
}

/** Returns the items in the order of `order`, followed by the items with a delete directive. */
export function sortLike(items: List, order: List, identity: Identity): unknown[] {
  if (identity.kind === 'scalar') return sortByRank(items, order, identity);
  for (const item of items) mergeKeyOf(item, identity.mergeKey);
  for (const item of order) mergeKeyOf(item, identity.mergeKey);
  return [
    ...sortByRank(
      items.filter((item) => !isDeleteItem(item)),
      order,
      identity,
    ),
    ...items.filter(isDeleteItem),
  ];
}

/** Upstream sorts up to this many items by insertion, and more of them by merging. */
const insertionLimit = 20;

/**
 * Sorts items by their index in `order`. Upstream's comparison is not an order for items without an index: such an item is less than any
 * other, and any other is less than it. So the result depends on which items are compared.
 *
 * Differs from upstream: in long lists, items without an index simply come first.
 */
function sortByRank(items: List, order: List, identity: Identity): unknown[] {
  const ranks = rank(order, identity);
  const sorted = items.map((item) => ({ item, place: ranks.get(identify(item, identity)) }));
  if (sorted.length > insertionLimit || sorted.every(({ place }) => place !== undefined)) {
    return sorted.sort((a, b) => (a.place ?? -1) - (b.place ?? -1)).map(({ item }) => item);
  }
  for (let i = 1; i < sorted.length; i++) {
    const moving = sorted[i]!;
    let at = i;
    for (; at > 0 && goesBefore(moving.place, sorted[at - 1]!.place); at--) sorted[at] = sorted[at - 1]!;
    sorted[at] = moving;
  }
  return sorted.map(({ item }) => item);
}

const goesBefore = (a: number | undefined, b: number | undefined): boolean =>
  a === undefined || b === undefined || a < b;

function interleave(rest: List, chosen: List, place: (item: unknown) => number | undefined): unknown[] {
  const result: unknown[] = [];
  let next = 0;
  for (const item of chosen) {
    const limit = place(item);
    while (next < rest.length && isBefore(place(rest[next]), limit)) result.push(rest[next++]);
    result.push(item);
  }
  return result.concat(rest.slice(next));
}

const isBefore = (a: number | undefined, b: number | undefined): boolean => a !== undefined && b !== undefined && a < b;
