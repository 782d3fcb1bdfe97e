import { elementJson } from '../json/go-format.ts';
import { isJsonObject } from '../json/index.ts';
import { quote } from '../strconv/quote.ts';
import { type PathElement, valueElement } from './path-element.ts';
import type { ListType } from './value-type.ts';

/** Returns the path element of an item of a non-atomic list. Throws with upstream's message when the item has no element. */
export function itemElement(list: ListType, item: unknown): PathElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

/** Whether `itemElement` returns an element for the item. */
export function isNameable(list: ListType, item: unknown): boolean {
  if (list.keys.length === 0) return typeof item !== 'object';
  return isJsonObject(item) && list.keyFields.some((key) => key.default !== undefined || Object.hasOwn(item, key.name));
}

function keyedElement(list: ListType, item: unknown): PathElement {
  if (item === null) throw new Error('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new Error('associative list with keys may not have non-map elements');
  let members = '';
  for (const { name, prefix, default: absent } of list.keyFields) {
    // An absent key without a default is left out of the element: an item with the key and one without it are different.
    const value = Object.hasOwn(item, name) ? item[name] : absent;
    if (value !== undefined)
      members += members === '' ? prefix + elementJson(value) : `,${prefix}${elementJson(value)}`;
  }
  if (members === '') {
    const keys = list.keys.map(quote).join(' ');
    throw new Error(
      `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
    );
  }
  return `k:{${members}}`;
}

function setElement(item: unknown): PathElement {
  if (item === null) throw new Error("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new Error('not supported: associative list with lists as elements');
  if (isJsonObject(item)) throw new Error("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/**
 * Returns the values that identify the list's items, one after the other: lists with equal names have equal path elements. Returns
 * undefined when an item is not identified by scalars.
 */
export function itemNames(list: ListType, items: readonly unknown[]): unknown[] | undefined {
  const { keyFields } = list;
  if (keyFields.length === 0) return items.every(isScalar) ? [...items] : undefined;
  const names: unknown[] = [];
  for (const item of items) {
    if (!isJsonObject(item)) return undefined;
    for (const { name, default: absent } of keyFields) {
      const value = Object.hasOwn(item, name) ? item[name] : absent;
      if (!isScalar(value)) return undefined;
      names.push(value);
    }
  }
  return names;
}

const isScalar = (value: unknown): boolean => typeof value !== 'object';

/** A list's items by path element. */
interface ItemIndex {
  /** The path element of each item, duplicates included. */
  readonly elements: readonly PathElement[];
  /** The items with each path element: more than one where there are duplicates. */
  readonly items: ReadonlyMap<PathElement, readonly unknown[]>;
}

export function indexItems(list: ListType, items: readonly unknown[]): ItemIndex {
  const elements: PathElement[] = [];
  const byElement = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    elements.push(element);
    const twins = byElement.get(element);
    if (twins === undefined) byElement.set(element, [item]);
    else twins.push(item);
  }
  return { elements, items: byElement };
}
