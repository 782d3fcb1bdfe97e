/** Lets works with the same key follow one another; those with different keys do not wait. */
export class KeyedTurns {
  /** The last work of each key that has any. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Begins when all earlier works with the key have ended, however they did. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return await work();
    })();
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
