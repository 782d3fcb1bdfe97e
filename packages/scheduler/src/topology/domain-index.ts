import { grown } from './grown.ts';

/**
 * Numbers the domains of one topology key: rows of a `NodeTable` whose nodes have the same value of that label are in the same domain.
 * Numbers of domains without nodes are reused.
 */
export class DomainIndex {
  readonly topologyKey: string;
  #byRow = new Int32Array();
  readonly #byValue = new Map<string, number>();
  /** By domain: its value and its number of rows. A domain is in `#byValue` if and only if it has rows. */
  readonly #values: string[] = [];
  readonly #rows: number[] = [];
  readonly #free: number[] = [];

  constructor(topologyKey: string) {
    this.topologyKey = topologyKey;
  }

  /** All domain numbers are below this. */
  get capacity(): number {
    return this.#values.length;
  }

  /** The domain of a row; -1 when its node does not have the label. */
  domain(row: number): number {
    return this.#byRow[row] ?? -1;
  }

  /** Moves the row to the domain of that value; to none when `value` is undefined. */
  set(row: number, value: string | undefined): void {
    const before = this.domain(row);
    if (before >= 0 ? this.#values[before] === value : value === undefined) return;
    if (before >= 0) this.#leave(before);
    this.#byRow = grown(this.#byRow, row + 1, -1);
    this.#byRow[row] = value === undefined ? -1 : this.#join(value);
  }

  #join(value: string): number {
    const known = this.#byValue.get(value);
    if (known !== undefined) {
      this.#rows[known]!++;
      return known;
    }
    const domain = this.#free.pop() ?? this.#values.length;
    this.#values[domain] = value;
    this.#rows[domain] = 1;
    this.#byValue.set(value, domain);
    return domain;
  }

  #leave(domain: number): void {
    if (--this.#rows[domain]! > 0) return;
    this.#byValue.delete(this.#values[domain]!);
    this.#free.push(domain);
  }
}
