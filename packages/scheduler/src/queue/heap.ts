interface Entry<T> {
  readonly key: string;
  item: T;
  /** Insertion number. Among equal items the one with the lower number comes first. */
  readonly order: number;
  /** Its index in `#entries`. */
  index: number;
}

/** A heap with access by key. Equal items keep the order of insertion. Adding, changing and removing are O(log n). */
export class Heap<T> {
  /** Heap invariant: no entry comes before its parent, which is at `(index - 1) >> 1`. */
  readonly #entries: Entry<T>[] = [];
  /** The entries of `#entries` by key. */
  readonly #byKey = new Map<string, Entry<T>>();
  readonly #less: (a: T, b: T) => boolean;
  #order = 0;

  constructor(less: (a: T, b: T) => boolean) {
    this.#less = less;
  }

  get size(): number {
    return this.#entries.length;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key)?.item;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** An item with the same key is replaced, and keeps its position among equal items. */
  addOrUpdate(key: string, item: T): void {
    let entry = this.#byKey.get(key);
    if (entry) entry.item = item;
    else {
      entry = { key, item, order: this.#order++, index: this.#entries.length };
      this.#entries.push(entry);
      this.#byKey.set(key, entry);
    }
    this.#settle(entry);
  }

  delete(key: string): T | undefined {
    const entry = this.#byKey.get(key);
    if (!entry) return undefined;
    this.#byKey.delete(key);
    const last = this.#entries.pop()!;
    if (last !== entry) {
      this.#place(last, entry.index);
      this.#settle(last);
    }
    return entry.item;
  }

  peek(): T | undefined {
    return this.#entries[0]?.item;
  }

  pop(): T | undefined {
    const first = this.#entries[0];
    return first && this.delete(first.key);
  }

  /** In no particular order. */
  *values(): IterableIterator<T> {
    for (const { item } of this.#entries) yield item;
  }

  #place(entry: Entry<T>, index: number): void {
    this.#entries[index] = entry;
    entry.index = index;
  }

  #comesFirst(a: Entry<T>, b: Entry<T>): boolean {
    return this.#less(a.item, b.item) || (a.order < b.order && !this.#less(b.item, a.item));
  }

  /** Moves the entry up or down to its position. */
  #settle(entry: Entry<T>): void {
    let at = entry.index;
    while (at > 0) {
      const parent = this.#entries[(at - 1) >> 1]!;
      if (!this.#comesFirst(entry, parent)) break;
      const above = parent.index;
      this.#place(parent, at);
      at = above;
    }
    for (;;) {
      const child = this.#firstChild(at);
      if (!child || child === entry || !this.#comesFirst(child, entry)) break;
      const below = child.index;
      this.#place(child, at);
      at = below;
    }
    this.#place(entry, at);
  }

  #firstChild(index: number): Entry<T> | undefined {
    const left = this.#entries[2 * index + 1];
    const right = this.#entries[2 * index + 2];
    return left && right && this.#comesFirst(right, left) ? right : left;
  }
}
