import { Pace, type Steps, Work } from '../steps/steps.ts';
import { ArrayList, CelError, CelList, CelMap, type CelValue, Uint } from './values.ts';

/** The maximum size of a concatenated list: iterating over it must not take long. Data and literals are always shorter. */
const MAX_LIST_SIZE = 2_000_000;

type MapKey = string | boolean | bigint;

/** Returns the key under which an entry is stored: equal numbers have the same. Undefined if the value cannot be a key. */
function mapKey(key: CelValue): MapKey | undefined {
  switch (typeof key) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return key;
    case 'number':
      return Number.isInteger(key) ? BigInt(key) : undefined;
  }
  return key instanceof Uint ? key.value : undefined;
}

/** A map created by an expression or by code. */
export class EntryMap extends CelMap {
  readonly #entries = new Map<MapKey, [key: CelValue, value: CelValue]>();

  /** Throws CelError if a key is not a bool, int, uint or string. Of equal keys, the last one counts. */
  constructor(entries: Iterable<readonly [CelValue, CelValue]> = []) {
    super();
    for (const [key, value] of entries) this.#set(key, value);
  }

  #set(key: CelValue, value: CelValue): void {
    const id = mapKey(key);
    if (id === undefined || typeof key === 'number') throw new CelError('unsupported key type');
    this.#entries.set(id, [key, value]);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    const id = mapKey(key);
    return id === undefined ? undefined : this.#entries.get(id)?.[1];
  }

  *keys(): IterableIterator<CelValue> {
    for (const [key] of this.#entries.values()) yield key;
  }

  /** Inserts in place; only for accumulators without other references. Throws CelError if the key exists. */
  insertInPlace(key: CelValue, value: CelValue): this {
    const id = mapKey(key);
    if (id !== undefined && this.#entries.has(id))
      throw new CelError(`insert failed: key ${formatKey(key)} already exists`);
    this.#set(key, value);
    return this;
  }
}

/** Formats a key for error messages. */
export function formatKey(key: CelValue): string {
  if (key instanceof Uint) return String(key.value);
  return typeof key === 'object' && key !== null ? key.constructor.name : String(key);
}

/** A concatenation without copying: a list that is repeatedly concatenated with itself needs little memory. */
class ConcatList extends CelList {
  readonly #left: CelList;
  readonly #right: CelList;
  readonly size: number;

  constructor(left: CelList, right: CelList) {
    super();
    this.#left = left;
    this.#right = right;
    this.size = left.size + right.size;
    if (this.size > MAX_LIST_SIZE) throw new CelError('operation cancelled: list too large');
  }

  at(index: number): CelValue {
    let list: CelList = this;
    let at = index;
    while (list instanceof ConcatList) {
      if (at < list.#left.size) {
        list = list.#left;
      } else {
        at -= list.#left.size;
        list = list.#right;
      }
    }
    return list.at(at);
  }
}

/** Lists up to this size are copied when concatenated, which makes reads faster. */
const COPY_SIZE = 32;

/** Computes `a + b` for lists, by the rules of their schema if they have one. */
export function concatLists(a: CelList, b: CelList): CelList | Work<CelList> {
  const identity = a.elementIdentity;
  if (identity !== undefined) return new Work(mergeLists(a, b, identity));
  if (b.size === 0) return a;
  if (a.size === 0) return b;
  return a.size + b.size <= COPY_SIZE ? new ArrayList([...a, ...b]) : new ConcatList(a, b);
}

/** Returns the union: an element of the second list replaces the one with the same identity, others are appended. */
function* mergeLists(a: CelList, b: CelList, identity: (element: CelValue) => string): Steps<CelList> {
  const merged = new Map<string, CelValue>();
  const pace = new Pace();
  for (const list of [a, b]) {
    for (let i = 0; i < list.size; i++) {
      const element = list.at(i);
      const id = identity(element);
      merged.set(id, element);
      if (pace.isOver(16 + (id.length >> 3))) yield pace.taken;
    }
  }
  return new ArrayList([...merged.values()]);
}

/** A list that a comprehension appends to. Only the comprehension's accumulator refers to it. */
export class GrowingList extends CelList {
  readonly items: CelValue[] = [];
  get size(): number {
    return this.items.length;
  }
  at(index: number): CelValue {
    return this.items[index] ?? null;
  }
}
