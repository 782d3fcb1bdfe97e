/** Lets calls with the same key run one after the other, in the order of the calls. */
export class KeyedTurns {
  /** The last call of each key that has one under way. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const turn = before === undefined ? act() : before.then(act, act);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
