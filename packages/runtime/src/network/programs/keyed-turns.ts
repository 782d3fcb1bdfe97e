/** Calls with the same key run one after the other, in order. */
export class KeyedTurns {
  /** The end of the last call of each key; entries of ended calls are removed. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, call: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = (before ?? Promise.resolve()).then(call, call);
    const end = mine.catch(() => undefined);
    this.#last.set(key, end);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === end) this.#last.delete(key);
    }
  }
}
