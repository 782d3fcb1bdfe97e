import { isJsonObject, jsonEquals } from '../json/index.ts';
import { FieldSet } from './field-set.ts';
import { indexItems } from './list-items.ts';
import type { PathElement } from './path-element.ts';
import type { RecentShapes } from './recent-shapes.ts';
import { everyPlace } from './to-field-set.ts';
import { alternativeOf, elementOfKey, type ListType, type MapType, typeOfKey, type ValueType } from './value-type.ts';

/**
 * The paths that differ between two values. A path is in one of the sets at most, except that of a list item which gains or loses a
 * duplicate: it is both added and removed.
 */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** The difference of a part of the value; an absent set is empty. Undefined means no difference, so that equal parts allocate nothing. */
type Difference = Partial<Comparison>;
type Maybe = Difference | undefined;

/** How `after` differs from `before`. Both must have passed validation. */
export function compareValues(type: ValueType, before: unknown, after: unknown): Comparison {
  const { added, modified, removed } = differ(type, before, after) ?? {};
  const root = (set: FieldSet | undefined): FieldSet => set?.withMember(false) ?? FieldSet.empty;
  return { added: root(added), modified: root(modified), removed: root(removed) };
}

const modifiedLeaf: Difference = { modified: FieldSet.leaf };
const addedLeaf: Difference = { added: FieldSet.leaf };
const removedLeaf: Difference = { removed: FieldSet.leaf };

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asMap = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {});

/** Undefined stands for an absent value. */
function differ(type: ValueType, before: unknown, after: unknown): Maybe {
  if (before === after) return undefined;
  if (before === undefined) return { added: everyPlace(type, after) };
  if (after === undefined) return { removed: everyPlace(type, before) };
  const left = alternativeOf(type, before);
  const right = alternativeOf(type, after);
  const difference = differAs(type, right, before, after);
  // When a value changes its kind (map, list or scalar), it is also compared as the old kind: its old content counts as removed.
  return left === right ? difference : both(differAs(type, left, before, after), difference);
}

function differAs(type: ValueType, alternative: 'scalar' | 'list' | 'map', before: unknown, after: unknown): Maybe {
  switch (alternative) {
    case 'list':
      return differAsLists(type.list!, before, after);
    case 'map':
      return differAsMaps(type.map!, before, after);
    default:
      return differAsLeaves(before, after);
  }
}

const differAsLeaves = (before: unknown, after: unknown): Maybe =>
  jsonEquals(before, after) ? undefined : modifiedLeaf;

function differAsMaps(type: MapType, before: unknown, after: unknown): Maybe {
  const left = asMap(before);
  const right = asMap(after);
  const leftKeys = Object.keys(left);
  const rightKeys = Object.keys(right);
  // Two empty values are compared as leaves, so that `{}` and null differ.
  if (type.atomic || (leftKeys.length === 0 && rightKeys.length === 0)) return differAsLeaves(before, after);
  if (leftKeys.length === 0) return { added: everyPlace({ map: type }, right).withMember(false) };
  const gathered = new Gathered(type.shapes);
  for (const key of leftKeys) {
    const difference = differ(typeOfKey(type, key), left[key], Object.hasOwn(right, key) ? right[key] : undefined);
    if (difference !== undefined) gathered.add(elementOfKey(type, key), difference);
  }
  for (const key of rightKeys) {
    if (Object.hasOwn(left, key)) continue;
    const added = everyPlace(typeOfKey(type, key), right[key]);
    gathered.add(elementOfKey(type, key), { added });
  }
  return gathered.difference();
}

function differAsLists(type: ListType, before: unknown, after: unknown): Maybe {
  const left = asList(before);
  const right = asList(after);
  if (type.atomic || (left.length === 0 && right.length === 0)) return differAsLeaves(before, after);
  if (left.length === 0) return { added: everyPlace({ list: type }, right).withMember(false) };
  // Most lists are unchanged; then no path elements are computed for their items.
  if (jsonEquals(left, right)) return undefined;
  const leftItems = indexItems(type, left).items;
  const rightItems = indexItems(type, right).items;
  const gathered = new Gathered(type.shapes);
  for (const [element, items] of leftItems)
    gathered.add(element, differAsItems(type.items, items, rightItems.get(element)));
  for (const [element, items] of rightItems)
    if (!leftItems.has(element)) gathered.add(element, differAsItems(type.items, undefined, items));
  return gathered.difference();
}

/** Compares the items with the same path element. Duplicates are compared as one value. */
function differAsItems(type: ValueType, before: readonly unknown[] = [], after: readonly unknown[] = []): Maybe {
  if (before.length <= 1 && after.length <= 1) return differ(type, before[0], after[0]);
  if (before.length > 1 && after.length > 1) return differAsLeaves(before, after);
  if (before.length > 1) return both(after.length === 1 ? differ(type, undefined, after[0]) : undefined, removedLeaf);
  return both(before.length === 1 ? differ(type, before[0], undefined) : undefined, addedLeaf);
}

function both(a: Maybe, b: Maybe): Maybe {
  if (a === undefined || b === undefined) return a ?? b;
  const united = (x: FieldSet | undefined, y: FieldSet | undefined) => (x && y ? x.union(y) : (x ?? y));
  return {
    added: united(a.added, b.added),
    modified: united(a.modified, b.modified),
    removed: united(a.removed, b.removed),
  };
}

/** Collects the differences of the children of a map or list. Allocates a set only when there is something to put into it. */
class Gathered {
  readonly #shapes: RecentShapes;
  readonly #added = new Children();
  readonly #modified = new Children();
  readonly #removed = new Children();

  constructor(shapes: RecentShapes) {
    this.#shapes = shapes;
  }

  add(element: PathElement, difference: Maybe): void {
    if (difference === undefined) return;
    this.#added.put(element, difference.added);
    this.#modified.put(element, difference.modified);
    this.#removed.put(element, difference.removed);
  }

  difference(): Maybe {
    const added = this.#added.node(this.#shapes);
    const modified = this.#modified.node(this.#shapes);
    const removed = this.#removed.node(this.#shapes);
    return (added ?? modified ?? removed) && { added, modified, removed };
  }
}

class Children {
  #elements: PathElement[] | undefined;
  #sets: FieldSet[] | undefined;

  put(element: PathElement, set: FieldSet | undefined): void {
    if (set === undefined) return;
    this.#elements ??= [];
    this.#sets ??= [];
    this.#elements.push(element);
    this.#sets.push(set);
  }

  node(shapes: RecentShapes): FieldSet | undefined {
    return this.#elements && this.#sets && shapes.node(this.#elements, this.#sets);
  }
}
