/** Changes that are remembered: more than there are nodes in most clusters, so that whoever asks for each cycle misses none. */
const mostChanges = 16_384;

/** Which rows of a snapshot changed, and after which others: every change has a number of its own. */
export class RowVersions {
  readonly #versions: number[] = [];
  /** The row that got the version `#first + i` is `#changed[i]`. */
  readonly #changed: number[] = [];
  #first = 1;
  readonly #mostChanges: number;

  constructor(most: number = mostChanges) {
    this.#mostChanges = most;
  }

  /** The number of the last change; 0 when there was none. */
  get last(): number {
    return this.#first + this.#changed.length - 1;
  }

  /** The number of the row's last change. */
  of(row: number): number {
    return this.#versions[row] ?? 0;
  }

  changed(row: number): void {
    this.#changed.push(row);
    this.#versions[row] = this.last;
    if (this.#changed.length > this.#mostChanges)
      this.#first += this.#changed.splice(0, this.#changed.length >> 1).length;
  }

  /** The rows that changed after that change, some perhaps more than once. Undefined when that is not known any more. */
  since(version: number): readonly number[] | undefined {
    return version < this.#first - 1 ? undefined : this.#changed.slice(version - this.#first + 1);
  }
}
