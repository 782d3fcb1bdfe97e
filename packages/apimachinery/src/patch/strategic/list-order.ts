import { isJsonObject, ownEntry } from '../../json/index.ts';
import type { Steps } from '../../steps/index.ts';
import { PatchError } from '../patch-error.ts';
import { expectMap, isDeleteItem, type itemKind, mergeKeyOf } from './directives.ts';

type List = readonly unknown[];

/** By what items of one list are told apart: their merge key, or themselves when they are scalars. */
export interface Identity {
  readonly kind: ReturnType<typeof itemKind>;
  readonly mergeKey: string;
}

/**
 * A merged list in its order. Items that `wanted` names come in the order of `wanted`. The others keep their order in
 * `live`, and each goes before the first wanted item that stands after it in `live`.
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

/** Throws PatchError when looking for an item has to pass something in the list that is no object. */
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

/** The first place of each value in the list. */
function rank(list: List, identity: Identity): Map<unknown, number> {
  const ranks = new Map<unknown, number>();
  list.forEach((item, index) => {
    const value = identify(item, identity);
    if (!ranks.has(value)) ranks.set(value, index);
  });
  return ranks;
}

/** The items in the order that `order` has them, and after them those that tell to delete. */
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

/** Upstream sorts as many items by insertion, more of them by merging. */
const insertionLimit = 20;

/**
 * Upstream's comparison is no order where an item has no place: such an item goes before whatever it is compared with,
 * and whatever is compared with it goes before it. So it matters which items are compared.
 *
 * Differs from upstream: in long lists, items without a place simply come first.
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
