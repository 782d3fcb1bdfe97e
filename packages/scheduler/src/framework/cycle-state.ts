/** Identifies a value that a plug-in passes from one extension point to a later one. */
export class StateKey<T> {
  readonly name: string;
  /**
   * Copies the value for a clone of the state. Without it the value is shared by all clones and must not be modified.
   */
  readonly clone: ((value: T) => T) | undefined;

  constructor(name: string, clone?: (value: T) => T) {
    this.name = name;
    this.clone = clone;
  }
}

/** The data of plug-ins for one attempt to schedule one pod. */
export class CycleState {
  #entries: ReadonlyMap<StateKey<unknown>, unknown> = noEntries;
  /**
   * Equal to `#entries` when no other state shares them. Undefined when they are shared: they are copied before the
   * next write.
   */
  #own: Map<StateKey<unknown>, unknown> | undefined;
  /** Names of plug-ins whose PreFilter returned `skip`: their Filter is not called. */
  skipFilter: ReadonlySet<string> = none;
  /** Names of plug-ins whose PreScore returned `skip`: their Score is not called. */
  skipScore: ReadonlySet<string> = none;
  /** For the same node, pods with the same signature get the same results of the filters. Clones have none. */
  signature: string | undefined;

  set<T>(key: StateKey<T>, value: T): void {
    this.#toWrite().set(key as StateKey<unknown>, value);
  }

  /** Throws an Error when the value was not set, because an earlier extension point did not run. */
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

  /** Returns a copy for a trial. Later changes of the copy and of the original do not affect each other. */
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
