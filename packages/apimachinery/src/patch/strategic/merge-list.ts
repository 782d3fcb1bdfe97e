import type { JsonObject } from '../../json/go-value.ts';
import { ownEntry } from '../../json/index.ts';
import { itemsPerStep, type Steps } from '../../steps/index.ts';
import { PatchError } from '../patch-error.ts';
import { expectMap, itemKind, mergeKeyOf, noMergeKey, PATCH, unknownDirective } from './directives.ts';
import { arrange } from './list-order.ts';
import { goKind, type PatchField } from './patch-meta.ts';

type List = readonly unknown[];

export interface MergedList {
  readonly items: List;
  /**
   * The list by whose order `$setElementOrder` places the items that it does not name. This is almost the original list: upstream merges
   * in place, so deleted items are gone, and added ones take their slots.
   */
  readonly live: List;
}

/** Merges a patch's list into a list of the same field. `mergeItems` merges two items with the same merge key. */
export function* mergeLists(
  original: List,
  patch: List,
  { mergeKey, type }: PatchField,
  mergeItems: (original: JsonObject, patch: JsonObject) => Steps<JsonObject>,
): Steps<MergedList> {
  if (original.length === 0 && patch.length === 0) return { items: original, live: original };
  const kind = itemKind(original, patch);
  const identity = { kind, mergeKey };
  if (kind === 'scalar') {
    // Differs from upstream, which shuffles the other scalars when the original repeats one and the patch is empty.
    const items = [...new Set([...original, ...patch])];
    yield;
    return { items: yield* arrange(items, patch, original, identity), live: original };
  }
  if (mergeKey === '') throw new PatchError(`cannot merge lists without merge key for ${goKind(type)}`);

  const keyOf = (item: unknown) => ownEntry(expectMap(item), mergeKey);
  const { changes, deleted, replace } = readDirectives(patch, mergeKey);
  yield;
  const kept = original.filter((item) => !deleted.has(keyOf(item)));
  if (replace) return { items: yield* arrange(changes, [], changes, identity), live: kept };

  const merged = [...kept];
  const places = new Map<unknown, number>();
  kept.forEach((item, index) => {
    if (!places.has(keyOf(item))) places.set(keyOf(item), index);
  });
  let met = 0;
  for (const change of changes) {
    const key = mergeKeyOf(change, mergeKey);
    const place = places.get(key);
    if (place === undefined) places.set(key, merged.push(change) - 1);
    else merged[place] = yield* mergeItems(expectMap(merged[place]), expectMap(change));
    if (++met % itemsPerStep === 0) yield;
  }
  return { items: yield* arrange(merged, changes, kept, identity), live: merged.slice(0, original.length) };
}

interface ListChanges {
  /** The items without a directive. */
  readonly changes: List;
  /** Merge keys of the items to delete. */
  readonly deleted: ReadonlySet<unknown>;
  /** Whether the list consists of `changes` only. */
  readonly replace: boolean;
}

function readDirectives(patch: List, mergeKey: string): ListChanges {
  const changes: unknown[] = [];
  const deleted = new Set<unknown>();
  let replace = false;
  for (const item of patch) {
    const map = expectMap(item);
    const directive = ownEntry(map, PATCH);
    const key = ownEntry(map, mergeKey);
    if (directive === undefined) {
      changes.push(item);
    } else if (directive === 'delete') {
      if (key === undefined) throw noMergeKey(map, mergeKey);
      deleted.add(key);
    } else if (directive === 'replace') {
      replace = true;
    } else if (directive === 'merge') {
      throw new PatchError('merging lists cannot yet be specified in the patch');
    } else {
      throw unknownDirective(directive, map);
    }
  }
  return { changes, deleted, replace };
}
