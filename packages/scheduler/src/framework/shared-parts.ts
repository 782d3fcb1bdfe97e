/** Names something that the plug-ins of all profiles share. */
export class SharedKey<T> {
  readonly name: string;
  /** Only tells the type of what is shared. */
  declare readonly shared: T;

  constructor(name: string) {
    this.name = name;
  }
}

/** What the plug-ins of all profiles of a scheduler have in common. */
export class SharedParts {
  readonly #parts = new Map<SharedKey<unknown>, unknown>();

  /** The first who asks makes it. */
  get<T>(key: SharedKey<T>, make: () => T): T {
    if (!this.#parts.has(key)) this.#parts.set(key, make());
    // Only what was made for this key is under it.
    return this.#parts.get(key) as T;
  }
}
