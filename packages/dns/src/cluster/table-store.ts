import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { metaNamespaceKey, type ReflectorStore } from '@coxswain/client';

/** One table of the index, as a reflector writes to it. */
export interface Table<T> {
  /** Undefined removes the object. */
  set(key: string, object: T | undefined): void;
  keys(): Iterable<string>;
  /** Whether the change can be seen in an answer. */
  isChange?(old: string | undefined, object: T): boolean;
}

/**
 * The store of a reflector that keeps no objects: `reduce` takes from each what the table needs. The first list syncs it. While the server cannot be reached, the
 * table keeps its content.
 */
export class TableStore<T extends KubernetesObject, Info> implements ReflectorStore<T> {
  readonly #table: Table<Info>;
  readonly #reduce: (object: T) => Info | undefined;
  /** What is known of each object, to recognize updates that change nothing. By key. */
  readonly #printed = new Map<string, number>();
  readonly #onSynced: () => void;

  constructor(table: Table<Info>, reduce: (object: T) => Info | undefined, onSynced: () => void) {
    this.#table = table;
    this.#reduce = reduce;
    this.#onSynced = onSynced;
  }

  add(object: T): void {
    this.update(object);
  }

  /** Most updates of objects, such as new conditions or annotations, change no name: they must not invalidate answers. */
  update(object: T): void {
    const key = metaNamespaceKey(object);
    const info = this.#reduce(object);
    const print = info === undefined ? undefined : hashOf(JSON.stringify(info));
    if (this.#printed.get(key) === print) return;
    if (print === undefined) this.#printed.delete(key);
    else this.#printed.set(key, print);
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
    if (this.#printed.delete(key)) this.#table.set(key, undefined);
  }
}

/** 53 bits, so that two states of one object practically never have the same. */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  return (high >>> 11) * 0x100000000 + (low >>> 0);
}
