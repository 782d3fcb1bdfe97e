/** Names one thing that a plug-in keeps from one extension point to a later one. */
export class StateKey<T> {
  readonly name: string;
  /** How to copy it for a trial that may change it; without one it is never changed, and shared. */
  readonly clone: ((value: T) => T) | undefined;

  constructor(name: string, clone?: (value: T) => T) {
    this.name = name;
    this.clone = clone;
  }
}

/** What plug-ins know of one attempt to schedule one pod. */
export class CycleState {
  #entries: ReadonlyMap<StateKey<unknown>, unknown> = noEntries;
  /** The same, unless another state may have them too: then they are copied before one is written. */
  #own: Map<StateKey<unknown>, unknown> | undefined;
  /** Filters that PreFilter said have nothing to say. */
  skipFilter: ReadonlySet<string> = none;
  /** The same of PreScore and Score. */
  skipScore: ReadonlySet<string> = none;
  /** Pods with the same one get the same answers of the filters for the same nodes. Trials have none. */
  signature: string | undefined;

  set<T>(key: StateKey<T>, value: T): void {
    this.#toWrite().set(key as StateKey<unknown>, value);
  }

  /** Throws when it was not written: then an earlier extension point did not run. */
  get<T>(key: StateKey<T>): T {
    const value = this.#entries.get(key as StateKey<unknown>);
    if (value === undefined) throw new Error(`reading "${key.name}" from cycleState: not found`);
    return value as T;
  }

  find<T>(key: StateKey<T>): T | undefined {
    return this.#entries.get(key as StateKey<unknown>) as T | undefined;
  }

  delete<T>(key: StateKey<T>): void {
    this.#toWrite().delete(key as StateKey<unknown>);
  }

  /** For a trial: what is changed in the copy stays there, and what is changed here afterwards stays here. */
  clone(): CycleState {
    const copy = new CycleState();
    copy.skipFilter = this.skipFilter;
    copy.skipScore = this.skipScore;
    copy.#entries = this.#entries;
    this.#own = undefined;
    for (const [key, value] of this.#entries) if (key.clone) copy.#toWrite().set(key, key.clone(value));
    return copy;
  }

  #toWrite(): Map<StateKey<unknown>, unknown> {
    if (!this.#own) {
      this.#own = new Map(this.#entries);
      this.#entries = this.#own;
    }
    return this.#own;
  }
}

const noEntries: ReadonlyMap<StateKey<unknown>, unknown> = new Map();
const none: ReadonlySet<string> = new Set();
