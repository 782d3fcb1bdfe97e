import { compareStrings, formatValue, type JsonObject } from '../../json/go-value.ts';
import { jsonEquals, ownEntry } from '../../json/index.ts';
import { isEmpty } from '../map-entries.ts';
import type { DiffOptions } from './diff.ts';
import { expectMap, itemKind, mergeKeyOf, PATCH } from './directives.ts';
import { sortLike } from './list-order.ts';
import type { PatchField } from './patch-meta.ts';
import { sameItem } from './set-element-order.ts';

type List = readonly unknown[];

/** The parts of a patch that turn one merged list into another. */
export interface ListDiff {
  /** Items to add or to change; of objects also items with a delete directive. */
  readonly items: List;
  /** Scalars to delete. */
  readonly deletions: List;
  readonly order: List;
}

const nothing: ListDiff = { items: [], deletions: [], order: [] };

export function diffLists(
  original: List,
  modified: List,
  { mergeKey }: PatchField,
  options: DiffOptions,
  diffItems: (from: JsonObject, to: JsonObject) => JsonObject,
): ListDiff {
  if (original.length === 0) return options.changes ? { ...nothing, items: modified } : nothing;
  return itemKind(original, modified) === 'map'
    ? diffListsOfMaps(original, modified, mergeKey, options, diffItems)
    : diffListsOfScalars(original, modified, mergeKey, options);
}

function diffListsOfMaps(
  original: List,
  modified: List,
  mergeKey: string,
  options: DiffOptions,
  diffItems: (from: JsonObject, to: JsonObject) => JsonObject,
): ListDiff {
  const changed: unknown[] = [];
  const deletions: unknown[] = [];
  walk(sortMaps(original, mergeKey), sortMaps(modified, mergeKey), {
    meet: (item) => void mergeKeyOf(item, mergeKey),
    both(from, to) {
      const inner = diffItems(expectMap(from), expectMap(to));
      if (!isEmpty(inner)) changed.push({ ...inner, [mergeKey]: mergeKeyOf(to, mergeKey) });
    },
    added(item) {
      if (options.changes) changed.push(item);
    },
    removed(item) {
      if (options.deletions) deletions.push({ [mergeKey]: mergeKeyOf(item, mergeKey), [PATCH]: 'delete' });
    },
  });
  const items = [...sortLike(changed, modified, { kind: 'map', mergeKey }), ...deletions];
  const sameOrder =
    original.length === modified.length && original.every((item, index) => sameItem(item, modified[index], mergeKey));
  const ordered = options.setElementOrder && (items.length > 0 || (options.changes && !sameOrder));
  return {
    items,
    deletions: [],
    order: ordered ? modified.map((item) => ({ [mergeKey]: mergeKeyOf(item, mergeKey) })) : [],
  };
}

function diffListsOfScalars(original: List, modified: List, mergeKey: string, options: DiffOptions): ListDiff {
  const added: unknown[] = [];
  const removed: unknown[] = [];
  const before = sortByText(original);
  walk(before, sortByText(modified), {
    meet() {},
    both() {},
    added: (item) => void added.push(item),
    removed: (item) => void removed.push(item),
  });
  const deletions = options.deletions ? withoutRepeats(removed) : [];
  // Upstream compares with the original, which it has just sorted in place, so `modified` counts as reordered when it is not sorted.
  const ordered =
    options.setElementOrder &&
    (deletions.length > 0 ||
      (options.changes &&
        !jsonEquals(
          before.map(({ item }) => item),
          modified,
        )));
  return {
    items: options.changes ? sortLike(added, modified, { kind: 'scalar', mergeKey }) : [],
    deletions,
    order: ordered ? modified : [],
  };
}

interface Visitor {
  /** Called first for each item, possibly more than once. */
  meet(item: unknown): void;
  both(from: unknown, to: unknown): void;
  added(item: unknown): void;
  removed(item: unknown): void;
}

/** An item and the text by which it is sorted and matched. */
interface Entry {
  readonly item: unknown;
  readonly text: string;
}

/** Walks two sorted lists and reports for each item which of the lists have it. */
function walk(original: readonly Entry[], modified: readonly Entry[], visit: Visitor): void {
  for (let i = 0, j = 0; i < original.length || j < modified.length; ) {
    const from = original[i];
    const to = modified[j];
    if (from) visit.meet(from.item);
    if (to) visit.meet(to.item);
    const order = !from ? 1 : !to ? -1 : compareStrings(from.text, to.text);
    if (order <= 0) i++;
    if (order >= 0) j++;
    if (order === 0) visit.both(from?.item, to?.item);
    else if (order > 0) visit.added(to?.item);
    else visit.removed(from?.item);
  }
}

const sortByText = (list: List, keyOf = (item: unknown) => item): Entry[] =>
  list.map((item) => ({ item, text: formatValue(keyOf(item)) })).sort((a, b) => compareStrings(a.text, b.text));

/**
 * Sorts items by merge key. As upstream, items with the same merge key, such as one port for two protocols, come out in reverse.
 *
 * Differs from upstream: in lists of more than twelve items, upstream's order of such items is arbitrary.
 */
const sortMaps = (list: List, mergeKey: string): Entry[] =>
  sortByText([...list].reverse(), (item) => ownEntry(expectMap(item), mergeKey));

/** Removes repetitions. As upstream, the last item takes the place of each repeated one, which is visible in the patch. */
function withoutRepeats(list: List): unknown[] {
  const items = [...list];
  if (new Set(items).size === items.length) return items;
  for (let i = 0; i < items.length; i++) {
    for (let j = i + 1; j < items.length; ) {
      if (items[i] !== items[j]) {
        j++;
        continue;
      }
      const last = items.pop();
      if (j < items.length) items[j] = last;
    }
  }
  return items;
}
