/** Runs calls with the same key one after the other, in their order. Calls with different keys do not wait for each other. */
export class KeyedTurns {
  /** The last call of each key that has any in progress. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Calls `work` when all earlier calls with the key have ended, also if they failed. At once if there are none. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const turn = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
