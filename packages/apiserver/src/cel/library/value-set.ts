import { type CelList, type CelValue, Uint } from '../values.ts';
import { bounded, checkComparisons } from './limits.ts';
import { equals } from './lists.ts';

/** What equal numbers, strings and bools have in common; undefined for all other values. */
function keyOf(value: CelValue): string | number | boolean | bigint | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return value;
    case 'number':
      // An integer is compared with a double as a double: beyond 2^53 several are equal to one double.
      return Number.isInteger(value) && Number.isSafeInteger(value) ? BigInt(value) : undefined;
  }
  return value instanceof Uint ? value.value : undefined;
}

const isExact = (key: unknown): boolean =>
  typeof key !== 'bigint' || (key <= BigInt(Number.MAX_SAFE_INTEGER) && key >= BigInt(Number.MIN_SAFE_INTEGER));

/** Values of which one can ask whether an equal one is among them: at once for numbers, strings and bools. */
export class ValueSet {
  readonly #keys = new Set<unknown>();
  readonly #others: CelValue[] = [];
  #comparisons = 0;

  static of(list: CelList): ValueSet {
    const set = new ValueSet();
    for (const element of bounded(list)) set.add(element);
    return set;
  }

  add(value: CelValue): void {
    const key = keyOf(value);
    if (key !== undefined && isExact(key)) this.#keys.add(key);
    else this.#others.push(value);
  }

  /** Throws CelError when it took too many comparisons to find out. */
  has(value: CelValue): boolean {
    const key = keyOf(value);
    if (key !== undefined && this.#keys.has(key)) return true;
    // Those that are found at once are equal to no other sort of value.
    this.#comparisons += this.#others.length;
    checkComparisons(this.#comparisons);
    return this.#others.some((other) => equals(other, value));
  }
}
