import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { type KeyFunc, metaNamespaceKey } from './keys.ts';

/**
 * Returns the index values of an object: none, one or several. Must be pure, because it is called again when the object
 * is replaced or deleted.
 */
export type IndexFunc<T> = (object: T) => readonly string[];
export type Indexers<T> = Readonly<Record<string, IndexFunc<T>>>;

/** The name of the index by namespace that every indexer has. */
export const NAMESPACE_INDEX = 'namespace';

export const metaNamespaceIndex: IndexFunc<KubernetesObject> = (object) => [object.metadata?.namespace ?? ''];

interface Index<T> {
  readonly valuesOf: IndexFunc<T>;
  /** The keys of the objects by index value. No set is empty. */
  readonly keys: Map<string, Set<string>>;
}

/**
 * A store of objects by key and by the values of any number of indexes. Objects are stored as given, without a copy;
 * callers share them and must not modify them. A change of the store and all its indexes is atomic: when a key or index
 * function throws, nothing changes.
 */
export class Indexer<T extends KubernetesObject> {
  readonly #keyOf: KeyFunc<T>;
  readonly #objects = new Map<string, T>();
  /** Each index contains every key of `#objects` under all index values of its object, and nothing else. */
  readonly #indexes = new Map<string, Index<T>>();

  constructor({ indexers = {}, keyOf = metaNamespaceKey }: { indexers?: Indexers<T>; keyOf?: KeyFunc<T> } = {}) {
    this.#keyOf = keyOf;
    this.addIndexers({ [NAMESPACE_INDEX]: metaNamespaceIndex });
    this.addIndexers(indexers);
  }

  get size(): number {
    return this.#objects.size;
  }

  keyOf(object: T): string {
    return this.#keyOf(object);
  }

  /** The stored object with the key of the given one. */
  get(object: T): T | undefined {
    return this.#objects.get(this.#keyOf(object));
  }

  getByKey(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  listKeys(): string[] {
    return [...this.#objects.keys()];
  }

  /** Iterates over all objects without copying. The store may be changed during the iteration. */
  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  /** Adds the object or replaces the one with the same key. */
  add(object: T): void {
    this.put(this.#keyOf(object), object);
  }

  /** Like `add`, for callers that know the key. Returns the replaced object. */
  put(key: string, object: T): T | undefined {
    const old = this.#objects.get(key);
    // Calls all index functions before changing anything, because they may throw.
    const changes: [Index<T>, readonly string[], readonly string[]][] = [];
    for (const [name, index] of this.#indexes) {
      const before = old === undefined ? none : index.valuesOf(old);
      const after = valuesFor(name, index.valuesOf, key, object);
      if (!sameValues(before, after)) changes.push([index, before, after]);
    }
    for (const [index, before, after] of changes) {
      for (const value of before) removeKey(index, value, key);
      for (const value of after) addKey(index, value, key);
    }
    this.#objects.set(key, object);
    return old;
  }

  /** Same as `add`, for parity with client-go's Store. */
  update(object: T): void {
    this.add(object);
  }

  /** Deletes the object with the key of the given one. */
  delete(object: T): void {
    this.deleteKey(this.#keyOf(object));
  }

  deleteKey(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    for (const index of this.#indexes.values()) {
      for (const value of index.valuesOf(object)) removeKey(index, value, key);
    }
    this.#objects.delete(key);
  }

  /** Replaces the whole content. */
  replace(objects: readonly T[]): void {
    const byKey = new Map<string, T>();
    for (const object of objects) byKey.set(this.#keyOf(object), object);
    const indexes = [...this.#indexes].map(([name, { valuesOf }]) => [name, indexed(name, valuesOf, byKey)] as const);
    this.#objects.clear();
    for (const [key, object] of byKey) this.#objects.set(key, object);
    for (const [name, index] of indexes) this.#indexes.set(name, index);
  }

  /** Returns the objects that share an index value with the given one. Throws when the index does not exist. */
  index(indexName: string, object: T): T[] {
    const index = this.#index(indexName);
    const keys = new Set<string>();
    for (const value of index.valuesOf(object)) for (const key of index.keys.get(value) ?? []) keys.add(key);
    return this.#resolve(keys);
  }

  /** Returns the keys of the objects with the index value. Throws when the index does not exist. */
  indexKeys(indexName: string, value: string): string[] {
    return [...(this.#index(indexName).keys.get(value) ?? [])];
  }

  /** Returns the number of objects with the index value. Throws when the index does not exist. */
  countByIndex(indexName: string, value: string): number {
    return this.#index(indexName).keys.get(value)?.size ?? 0;
  }

  /** Returns the objects with the index value. Throws when the index does not exist. */
  byIndex(indexName: string, value: string): T[] {
    return this.#resolve(this.#index(indexName).keys.get(value) ?? []);
  }

  /** Returns all values of the index. Throws when it does not exist. */
  listIndexFuncValues(indexName: string): string[] {
    return [...this.#index(indexName).keys.keys()];
  }

  hasIndex(indexName: string): boolean {
    return this.#indexes.has(indexName);
  }

  /** Adds indexes, and fills them with the existing objects. Throws when an index with such a name exists. */
  addIndexers(indexers: Indexers<T>): void {
    // Adding the built-in namespace index again is allowed.
    const wanted = Object.entries(indexers).filter(
      ([name, valuesOf]) => name !== NAMESPACE_INDEX || this.#indexes.get(name)?.valuesOf !== valuesOf,
    );
    const taken = wanted.filter(([name]) => this.#indexes.has(name)).map(([name]) => name);
    if (taken.length > 0) throw new Error(`indexer conflict: ${taken.sort().join(', ')}`);
    const indexes = wanted.map(([name, valuesOf]) => [name, indexed(name, valuesOf, this.#objects)] as const);
    for (const [name, index] of indexes) this.#indexes.set(name, index);
  }

  #index(indexName: string): Index<T> {
    const index = this.#indexes.get(indexName);
    if (!index) throw new Error(`Index with name ${indexName} does not exist`);
    return index;
  }

  #resolve(keys: Iterable<string>): T[] {
    const objects: T[] = [];
    for (const key of keys) objects.push(this.#objects.get(key)!);
    return objects;
  }
}

const none: readonly string[] = [];

function indexed<T>(name: string, valuesOf: IndexFunc<T>, objects: ReadonlyMap<string, T>): Index<T> {
  const index: Index<T> = { valuesOf, keys: new Map() };
  for (const [key, object] of objects) {
    for (const value of valuesFor(name, valuesOf, key, object)) addKey(index, value, key);
  }
  return index;
}

function valuesFor<T>(name: string, valuesOf: IndexFunc<T>, key: string, object: T): readonly string[] {
  try {
    return valuesOf(object);
  } catch (error) {
    throw new Error(`unable to calculate an index entry for key ${JSON.stringify(key)} on index "${name}"`, {
      cause: error,
    });
  }
}

function addKey({ keys: byValue }: Pick<Index<never>, 'keys'>, value: string, key: string): void {
  const keys = byValue.get(value);
  if (keys) keys.add(key);
  else byValue.set(value, new Set([key]));
}

function removeKey({ keys: byValue }: Pick<Index<never>, 'keys'>, value: string, key: string): void {
  const keys = byValue.get(value);
  if (keys?.delete(key) && keys.size === 0) byValue.delete(value);
}

function sameValues(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
