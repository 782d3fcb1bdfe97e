type Branch<T> = Map<string, Branch<T> | T>;

/**
 * A map with several strings as its key, which need not be put together to look something up: that would cost more than
 * the looking. All keys have the same length. Holds no more than `maxSize`; what comes later is made anew each time.
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

  /** Forgets everything whose keys begin with this one. */
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
