/**
 * Keeps one instance per key for as long as it is referenced elsewhere. Equal values are then the same object, so that `===`, `Map` and
 * `Set` work on them. Unreferenced values are garbage-collected: names that clients make up cannot fill memory.
 */
export class InternTable<T extends object> {
  readonly #values = new Map<string, WeakRef<T>>();
  readonly #collected = new FinalizationRegistry<string>((key) => {
    // A new instance may have been added for the key since.
    if (this.#values.get(key)?.deref() === undefined) this.#values.delete(key);
  });

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    return this.#values.get(key)?.deref();
  }

  add(key: string, value: T): T {
    this.#values.set(key, new WeakRef(value));
    this.#collected.register(value, key);
    return value;
  }
}
