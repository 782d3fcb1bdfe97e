import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { metaNamespaceKey, type ReflectorStore } from '@coxswain/client';

/** One table of the index, as a reflector writes to it. */
export interface Table<T> {
  /** Undefined removes the object. */
  set(key: string, object: T | undefined): void;
  get(key: string): T | undefined;
  keys(): Iterable<string>;
}

/**
 * The store of a reflector that keeps no objects: `reduce` takes from each what the table needs. The first list syncs it. While the server cannot be reached, the
 * table keeps its content.
 */
export class TableStore<T extends KubernetesObject, Info> implements ReflectorStore<T> {
  readonly #table: Table<Info>;
  readonly #reduce: (object: T) => Info | undefined;
  readonly #onSynced: () => void;
  /** What was taken from objects that the reflector still holds: those of a list that is not complete. */
  readonly #taken = new WeakMap<T, { readonly info: Info | undefined }>();

  constructor(table: Table<Info>, reduce: (object: T) => Info | undefined, onSynced: () => void) {
    this.#table = table;
    this.#reduce = reduce;
    this.#onSynced = onSynced;
  }

  /** Of each object only the names stay, so that a long list needs little memory while it is received. */
  prepare(object: T): T {
    this.#taken.set(object, { info: this.#reduce(object) });
    for (const name of Object.keys(object)) if (name !== 'metadata') Reflect.deleteProperty(object, name);
    const { metadata = {} } = object;
    for (const name of Object.keys(metadata)) if (!keptMetadata.has(name)) Reflect.deleteProperty(metadata, name);
    return object;
  }

  add(object: T): void {
    this.update(object);
  }

  /** Most updates of objects, such as new conditions or annotations, change no name: they must not invalidate answers. */
  update(object: T): void {
    const key = metaNamespaceKey(object);
    const taken = this.#taken.get(object);
    const info = taken ? taken.info : this.#reduce(object);
    const old = this.#table.get(key);
    if (old === info || (old !== undefined && isEqual(old, info))) return;
    this.#table.set(key, info);
  }

  delete(object: T): void {
    this.#delete(metaNamespaceKey(object));
  }

  replace(objects: readonly T[]): void {
    const gone = new Set(this.#table.keys());
    for (const object of objects) {
      gone.delete(metaNamespaceKey(object));
      this.update(object);
    }
    for (const key of gone) this.#delete(key);
    this.#onSynced();
  }

  #delete(key: string): void {
    if (this.#table.get(key) !== undefined) this.#table.set(key, undefined);
  }
}

/** What the reflector needs. */
const keptMetadata: ReadonlySet<string> = new Set(['name', 'namespace', 'resourceVersion']);

/** What tables hold is plain data, made with its members always in the same order. */
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
