/** Names one thing that a plug-in keeps from one extension point to a later one. */
export class StateKey<T> {
  readonly name: string;
  /** How to copy it for a trial that may change it; what is never changed is shared. */
  readonly clone: (value: T) => T;

  constructor(name: string, clone: (value: T) => T = (value) => value) {
    this.name = name;
    this.clone = clone;
  }
}

/** What plug-ins know of one attempt to schedule one pod. */
export class CycleState {
  readonly #entries = new Map<StateKey<unknown>, unknown>();
  /** Filters that PreFilter said have nothing to say. */
  skipFilter: ReadonlySet<string> = new Set();
  /** The same of PreScore and Score. */
  skipScore: ReadonlySet<string> = new Set();
  /** Pods with the same one get the same answers of the filters for the same nodes. Trials have none. */
  signature: string | undefined;

  set<T>(key: StateKey<T>, value: T): void {
    this.#entries.set(key as StateKey<unknown>, value);
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

  delete(key: StateKey<never> | StateKey<unknown>): void {
    this.#entries.delete(key as StateKey<unknown>);
  }

  /** For a trial: what is changed in the copy stays there. */
  clone(): CycleState {
    const copy = new CycleState();
    for (const [key, value] of this.#entries) copy.#entries.set(key, key.clone(value));
    copy.skipFilter = this.skipFilter;
    copy.skipScore = this.skipScore;
    return copy;
  }
}
