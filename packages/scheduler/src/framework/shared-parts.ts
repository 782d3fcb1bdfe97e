/** Identifies a value that the plug-ins of all profiles share. */
export class SharedKey<T> {
  readonly name: string;
  /** Only carries the type of the value. */
  declare readonly shared: T;

  constructor(name: string) {
    this.name = name;
  }
}

/** The values that the plug-ins of all profiles of a scheduler share. */
export class SharedParts {
  readonly #parts = new Map<SharedKey<unknown>, unknown>();

  /** Returns the value; the first call creates it. */
  get<T>(key: SharedKey<T>, make: () => T): T {
    if (!this.#parts.has(key)) this.#parts.set(key, make());
    // The value under this key was created for this key.
    return this.#parts.get(key) as T;
  }
}
