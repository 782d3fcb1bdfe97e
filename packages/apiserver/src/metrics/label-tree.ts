type Branch<T> = Map<string, Branch<T> | T>;

/**
 * A map whose key is a list of strings. Lookups do not concatenate them, which would cost more than the lookup itself. All keys
 * must have the same length. Holds at most `maxSize` values; for further keys, `getOrCreate` creates a new value every time.
 */
export class LabelTree<T extends object> {
  readonly #root: Branch<T> = new Map();
  readonly #maxSize: number;
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  getOrCreate(keys: readonly string[], create: () => T): T {
    let branch = this.#root;
    const last = keys.length - 1;
    for (let i = 0; i < last; i++) {
      let next = branch.get(keys[i]!);
      if (!(next instanceof Map)) {
        if (this.#size >= this.#maxSize) return create();
        next = new Map();
        branch.set(keys[i]!, next);
      }
      branch = next;
    }
    const found = branch.get(keys[last]!);
    if (found !== undefined && !(found instanceof Map)) return found;
    const created = create();
    if (this.#size < this.#maxSize) {
      branch.set(keys[last]!, created);
      this.#size++;
    }
    return created;
  }

  /** Deletes all values whose key begins with `firstKey`. */
  delete(firstKey: string): void {
    const branch = this.#root.get(firstKey);
    if (branch === undefined) return;
    this.#root.delete(firstKey);
    this.#size -= leavesOf(branch);
  }
}

function leavesOf<T extends object>(branch: Branch<T> | T): number {
  if (!(branch instanceof Map)) return 1;
  let leaves = 0;
  for (const next of branch.values()) leaves += leavesOf(next);
  return leaves;
}
