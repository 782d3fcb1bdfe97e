/** Several values for a key. Most keys have one: it is stored without a set around it, which would be larger than the value. */
export class Multimap<T extends object> {
  readonly #values = new Map<string, T | Set<T>>();

  get(key: string): Iterable<T> {
    const found = this.#values.get(key);
    if (found === undefined) return [];
    return found instanceof Set ? found : [found];
  }

  add(key: string, value: T): void {
    const found = this.#values.get(key);
    if (found instanceof Set) found.add(value);
    else this.#values.set(key, found === undefined ? value : new Set([found, value]));
  }

  /** Removes this very value. */
  delete(key: string, value: T): void {
    const found = this.#values.get(key);
    if (found instanceof Set) found.delete(value);
    if (found === value || (found instanceof Set && found.size === 0)) this.#values.delete(key);
  }
}
