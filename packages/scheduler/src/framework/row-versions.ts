/** Number of changes to keep: more than most clusters have nodes, so that a reader which asks once per cycle misses none. */
const mostChanges = 16_384;

/** The changes of a snapshot's rows. Each change gets the next version number. */
export class RowVersions {
  readonly #versions: number[] = [];
  /** The row that got the version `#first + i` is `#changed[i]`. */
  readonly #changed: number[] = [];
  #first = 1;
  readonly #mostChanges: number;

  constructor(most: number = mostChanges) {
    this.#mostChanges = most;
  }

  /** The version of the last change; 0 without any. */
  get last(): number {
    return this.#first + this.#changed.length - 1;
  }

  /** The version of the row's last change. */
  of(row: number): number {
    return this.#versions[row] ?? 0;
  }

  changed(row: number): void {
    this.#changed.push(row);
    this.#versions[row] = this.last;
    if (this.#changed.length > this.#mostChanges)
      this.#first += this.#changed.splice(0, this.#changed.length >> 1).length;
  }

  /** The rows changed after that version, possibly with duplicates. Undefined when those changes are no longer kept. */
  since(version: number): readonly number[] | undefined {
    return version < this.#first - 1 ? undefined : this.#changed.slice(version - this.#first + 1);
  }
}
