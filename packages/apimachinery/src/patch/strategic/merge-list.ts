import { ownEntry } from '../../json/index.ts';
import type { JsonObject } from '../go-value.ts';
import { PatchError } from '../patch-error.ts';
import { expectMap, itemKind, mergeKeyOf, noMergeKey, PATCH, unknownDirective } from './directives.ts';
import { arrange } from './list-order.ts';
import { goKind, type PatchField } from './patch-meta.ts';

type List = readonly unknown[];

export interface MergedList {
  readonly items: List;
  /**
   * The list by whose order `$setElementOrder` puts what the patch does not name. It is the original one, but upstream
   * merges in place: a deletion moves the following items forward, and added items fill the room that this leaves.
   */
  readonly live: List;
}

/** Merges a patch's list into a list of the same field. `mergeItems` merges two items with the same merge key. */
export function mergeLists(
  original: List,
  patch: List,
  { mergeKey, type }: PatchField,
  mergeItems: (original: JsonObject, patch: JsonObject) => JsonObject,
): MergedList {
  if (original.length === 0 && patch.length === 0) return { items: original, live: original };
  const kind = itemKind(original, patch);
  const identity = { kind, mergeKey };
  if (kind === 'scalar') {
    const items = [...new Set([...original, ...patch])];
    return { items: arrange(items, patch, original, identity), live: original };
  }
  if (mergeKey === '') throw new PatchError(`cannot merge lists without merge key for ${goKind(type)}`);

  const memory = new SharedList(original);
  const additions = applyListDirectives(memory, patch, mergeKey);
  if (additions.replace) return { items: arrange(additions.items, [], additions.items, identity), live: memory.all };

  const before = memory.items;
  const merged = [...before];
  const places = new Map<unknown, number>();
  before.forEach((item, index) => {
    const key = ownEntry(expectMap(item), mergeKey);
    if (key !== undefined && !places.has(key)) places.set(key, index);
  });
  for (const item of additions.items) {
    const key = mergeKeyOf(item, mergeKey);
    const place = places.get(key);
    if (place !== undefined) {
      merged[place] = mergeItems(expectMap(merged[place]), expectMap(item));
    } else {
      places.set(key, merged.push(item) - 1);
      memory.push(item);
    }
  }
  return { items: arrange(merged, additions.items, before, identity), live: memory.all };
}

/** Deletes what the patch's items tell to delete; answers with its ordinary items, and whether they are all there shall be. */
function applyListDirectives(memory: SharedList, patch: List, mergeKey: string): { items: List; replace: boolean } {
  const items: unknown[] = [];
  let replace = false;
  for (const item of patch) {
    const map = expectMap(item);
    const directive = ownEntry(map, PATCH);
    const key = ownEntry(map, mergeKey);
    if (directive === undefined) {
      items.push(item);
    } else if (directive === 'delete') {
      if (key === undefined) throw noMergeKey(map, mergeKey);
      memory.remove((other) => ownEntry(expectMap(other), mergeKey) === key);
    } else if (directive === 'replace') {
      replace = true;
    } else if (directive === 'merge') {
      throw new PatchError('merging lists cannot yet be specified in the patch');
    } else {
      throw unknownDirective(directive, map);
    }
  }
  return { items, replace };
}

/** A list that shrinks and grows in the memory of the one it was made from, as a Go slice does. */
class SharedList {
  /** The memory: always as long as the list was at first. */
  readonly all: unknown[];
  #length: number;

  constructor(list: List) {
    this.all = [...list];
    this.#length = list.length;
  }

  get items(): List {
    return this.all.slice(0, this.#length);
  }

  remove(matches: (item: unknown) => boolean): void {
    for (let index = 0; index < this.#length; ) {
      if (matches(this.all[index])) this.all.copyWithin(index, index + 1, this.#length--);
      else index++;
    }
  }

  push(item: unknown): void {
    if (this.#length < this.all.length) this.all[this.#length] = item;
    this.#length++;
  }
}
