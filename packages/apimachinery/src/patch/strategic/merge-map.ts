import { formatValue, isList, type JsonObject } from '../../json/go-value.ts';
import { isJsonObject, jsonEquals, ownEntry, setOwnEntry } from '../../json/index.ts';
import { itemsPerStep, type Steps } from '../../steps/index.ts';
import { mapEntries } from '../map-entries.ts';
import { PatchError } from '../patch-error.ts';
import {
  badRetainKeys,
  badSetElementOrder,
  DELETE_FROM_PRIMITIVE_LIST,
  directedField,
  expectList,
  isDeletion,
  isOrdering,
  itemKind,
  PATCH,
  RETAIN_KEYS,
  SET_ELEMENT_ORDER,
  unknownDirective,
} from './directives.ts';
import { arrange } from './list-order.ts';
import { type MergedList, mergeLists } from './merge-list.ts';
import { lookupListField, lookupMapField, type PatchField, type PatchType } from './patch-meta.ts';
import { assertOrderMatches } from './set-element-order.ts';

/**
 * - `apply`: the original is an object; directives are carried out, and nulls remove keys.
 * - `combine`: the original is a patch, too; the result keeps directives and nulls.
 */
export type MergeMode = 'apply' | 'combine';

/**
 * Returns the original after the patch. Modifies neither, but the result shares values with both. The caller must limit the patch's
 * depth.
 */
export function* mergeMaps(
  original: JsonObject,
  patch: JsonObject,
  type: PatchType,
  mode: MergeMode,
): Steps<JsonObject> {
  const directive = ownEntry(patch, PATCH);
  if (directive === 'delete') return {};
  if (directive === 'replace') return mapEntries(patch, (value, key) => (key === PATCH ? undefined : value));
  if (directive !== undefined) throw unknownDirective(directive, patch);
  return yield* new MapMerge(original, patch, type, mode).run();
}

/** The merge of one object, in three rounds: ordered lists, all other fields, then deletions from lists. */
class MapMerge {
  readonly #original: JsonObject;
  readonly #patch: JsonObject;
  readonly #type: PatchType;
  readonly #mode: MergeMode;
  /** The keys of the original that are kept, when the patch has `$retainKeys`. */
  readonly #retained: ReadonlySet<unknown> | undefined;
  /** The new values of keys changed so far; undefined for a key that is removed. */
  readonly #changes = new Map<string, unknown>();

  constructor(original: JsonObject, patch: JsonObject, type: PatchType, mode: MergeMode) {
    this.#original = original;
    this.#patch = patch;
    this.#type = type;
    this.#mode = mode;
    this.#retained = this.#retainKeys();
  }

  *run(): Steps<JsonObject> {
    const keys = Object.keys(this.#patch).filter((key) => this.#patch[key] !== undefined);
    const done = new Set<string>([RETAIN_KEYS]);
    let met = 0;
    for (const key of keys.filter(isOrdering)) {
      done.add(key);
      const field = yield* this.#mergeOrdered(key, this.#patch[key]);
      if (field !== undefined) done.add(field);
    }
    for (const key of keys) {
      if (!done.has(key) && !isDeletion(key)) yield* this.#merge(key, this.#patch[key], false);
      if (++met % itemsPerStep === 0) yield;
    }
    // Upstream adds to a list and deletes from it in random order. With `$setElementOrder` it adds first.
    for (const key of keys.filter(isDeletion)) {
      if (this.#mode === 'combine') this.#changes.set(key, this.#patch[key]);
      else yield* this.#merge(directedField(key, DELETE_FROM_PRIMITIVE_LIST) || key, this.#patch[key], true);
    }
    yield;
    return this.#result();
  }

  #result(): JsonObject {
    const result = mapEntries(this.#original, (_, key) => this.#current(key));
    for (const [key, value] of this.#changes) {
      if (value !== undefined && !Object.hasOwn(result, key)) setOwnEntry(result, key, value);
    }
    return result;
  }

  #current(key: string): unknown {
    if (this.#changes.has(key)) return this.#changes.get(key);
    return this.#retained && !this.#retained.has(key) ? undefined : ownEntry(this.#original, key);
  }

  #retainKeys(): ReadonlySet<unknown> | undefined {
    const keys = ownEntry(this.#patch, RETAIN_KEYS);
    if (keys === undefined) return undefined;
    if (this.#mode === 'combine') {
      const other = ownEntry(this.#original, RETAIN_KEYS);
      if (other !== undefined && !jsonEquals(other, keys)) {
        throw new PatchError(
          `${formatValue(other)} and ${formatValue(keys)} are not deep equal: this may happen when calculating the 3-way diff patch`,
        );
      }
      this.#changes.set(RETAIN_KEYS, keys);
      return undefined;
    }
    if (!isList(keys)) throw badRetainKeys();
    const retained = new Set<unknown>(keys);
    for (const key of Object.keys(this.#patch)) {
      const sets = this.#patch[key] != null && key !== RETAIN_KEYS && !isDeletion(key) && !isOrdering(key);
      if (sets && !retained.has(key)) throw badRetainKeys();
    }
    return retained;
  }

  *#merge(key: string, change: unknown, isDeletionList: boolean): Steps<void> {
    if (change === null && this.#mode === 'apply') {
      this.#changes.set(key, undefined);
      return;
    }
    const current = this.#current(key);
    if (isJsonObject(current) && isJsonObject(change)) {
      const field = lookupMapField(this.#type, key);
      this.#changes.set(
        key,
        field.strategy === 'replace' ? change : yield* mergeMaps(current, change, field.type, this.#mode),
      );
    } else if (isList(current) && isList(change)) {
      const field = lookupListField(this.#type, key);
      const { items } = yield* this.#mergeLists(current, change, field, isDeletionList);
      this.#changes.set(key, items);
    } else if (!isDeletionList) {
      this.#changes.set(key, adopt(change, this.#mode === 'apply'));
    }
  }

  *#mergeLists(
    current: readonly unknown[],
    change: readonly unknown[],
    field: PatchField,
    isDeletionList: boolean,
  ): Steps<MergedList> {
    if (field.strategy !== 'merge' && !isDeletionList) return { items: change, live: current };
    if (isDeletionList && current.length + change.length > 0 && itemKind(current, change) === 'scalar') {
      const deleted = new Set(change);
      return { items: current.filter((item) => !deleted.has(item)), live: current };
    }
    return yield* mergeLists(current, change, field, (item, patch) => mergeMaps(item, patch, field.type, this.#mode));
  }

  /** Applies one `$setElementOrder`, with the patch's list of that name. Returns the name when the object or the patch has the list. */
  *#mergeOrdered(key: string, order: unknown): Steps<string | undefined> {
    if (this.#mode === 'combine') {
      const other = ownEntry(this.#original, key);
      if (other !== undefined && !jsonEquals(other, order)) throw badSetElementOrder();
      this.#changes.set(key, order);
    }
    const wanted = expectList(order);
    const name = directedField(key, SET_ELEMENT_ORDER);
    const original = this.#current(name);
    const change = ownEntry(this.#patch, name);
    const current = original === undefined ? undefined : expectList(original);
    const listed = change === undefined ? undefined : expectList(change);
    const field = lookupListField(this.#type, name);
    assertOrderMatches(listed ?? [], wanted, field.mergeKey);
    if (!current && !listed) return undefined;
    yield;

    const merged =
      current && listed
        ? yield* this.#mergeLists(current, listed, field, false)
        : { items: current ?? withoutDirectives(listed ?? []), live: current ?? [] };
    yield;
    const identity = { kind: itemKind(current ?? [], listed ?? []), mergeKey: field.mergeKey };
    this.#changes.set(name, yield* arrange(merged.items, wanted, merged.live, identity));
    return name;
  }
}

const withoutDirectives = (list: readonly unknown[]): readonly unknown[] =>
  list.map((item) => adopt(item, false)).filter((item) => item !== undefined);

/**
 * Returns a value that is in the patch but not in the original; undefined for an object with `$patch`, which is not a value. As upstream,
 * other directives in the value stay.
 */
function adopt(value: unknown, dropNulls: boolean): unknown {
  if (isList(value)) return value.map((item) => adopt(item, dropNulls)).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  const directive = ownEntry(value, PATCH);
  if (directive !== undefined && !(dropNulls && directive === null)) return undefined;
  return mapEntries(value, (entry) => (dropNulls && entry === null ? undefined : adopt(entry, dropNulls)));
}
