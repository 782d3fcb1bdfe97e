/** The largest number of keys in a chunk: an insertion moves at most this many. */
const chunkSize = 256;

/** A chunk with fewer keys than this is merged with its neighbour, if both together fill at most half a chunk. */
const smallChunk = chunkSize / 4;

interface Chunk<V> {
  /** Never empty, in order. `values[i]` is the value of `keys[i]`. */
  readonly keys: string[];
  readonly values: V[];
}

/** From U+D800 on, the order of UTF-16 code units is no longer the order of code points. */
const nonPlain = /[\ud800-\uffff]/;

/**
 * A map whose keys are in the order of their UTF-8 bytes, which is the order of their code points.
 *
 * Lookups and changes take logarithmic time and move a few hundred keys at most, so that hundreds of thousands of keys
 * are no problem. The map must not change while one of its iterators is in use: code that works in slices remembers the
 * last key and starts a new iterator there.
 */
export class OrderedMap<V> {
  /** In order; no key of a chunk is after the first key of the next. */
  #chunks: Chunk<V>[] = [];
  #size = 0;
  /**
   * True while no key has had a code unit from U+D800 on. Then JavaScript's string comparison gives the same order, and
   * it is several times faster.
   */
  #plain = true;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const chunk = this.#chunks[this.#chunkOf(key)];
    if (chunk === undefined) return undefined;
    const index = this.#lowerBound(chunk.keys, key);
    return chunk.keys[index] === key ? chunk.values[index] : undefined;
  }

  has(key: string): boolean {
    const keys = this.#chunks[this.#chunkOf(key)]?.keys;
    return keys !== undefined && keys[this.#lowerBound(keys, key)] === key;
  }

  set(key: string, value: V): this {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#noteKey(key);
      this.#chunks.push({ keys: [key], values: [value] });
      this.#size = 1;
      return this;
    }
    const index = this.#lowerBound(chunk.keys, key);
    if (chunk.keys[index] === key) {
      chunk.values[index] = value;
      return this;
    }
    this.#noteKey(key);
    this.#size++;
    if (chunk.keys.length < chunkSize) {
      insert(chunk, index, key, value);
    } else {
      this.#insertIntoFull(at, index, key, value);
    }
    return this;
  }

  /** Removes the key. Returns whether it existed. */
  delete(key: string): boolean {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const index = this.#lowerBound(chunk.keys, key);
    if (chunk.keys[index] !== key) return false;
    this.#size--;
    chunk.keys.splice(index, 1);
    chunk.values.splice(index, 1);
    if (chunk.keys.length === 0) {
      this.#chunks.splice(at, 1);
    } else if (chunk.keys.length < smallChunk) {
      this.#join(at > 0 ? at - 1 : at);
    }
    return true;
  }

  clear(): void {
    this.#chunks = [];
    this.#size = 0;
    this.#plain = true;
  }

  /** Keys with their values, in order, beginning with the key `from` or the first one after it. */
  *entries(from = ''): IterableIterator<[key: string, value: V]> {
    let at = this.#chunkOf(from);
    let chunk = this.#chunks[at];
    let index = chunk === undefined ? 0 : this.#lowerBound(chunk.keys, from);
    while (chunk !== undefined) {
      const { keys, values } = chunk;
      for (; index < keys.length; index++) yield [keys[index] as string, values[index] as V];
      chunk = this.#chunks[++at];
      index = 0;
    }
  }

  /** The entries whose keys begin with the prefix; keys before `from` are left out. */
  *entriesWithPrefix(prefix: string, from = prefix): IterableIterator<[key: string, value: V]> {
    for (const entry of this.entries(this.#compare(from, prefix) < 0 ? prefix : from)) {
      if (!entry[0].startsWith(prefix)) return;
      yield entry;
    }
  }

  /**
   * Returns the number of keys that begin with the prefix; keys before `from` are left out. Costs time per chunk, not
   * per key.
   */
  countWithPrefix(prefix: string, from = prefix): number {
    const start = this.#compare(from, prefix) < 0 ? prefix : from;
    // `start` is after the prefix and does not begin with it, so it is after all keys with the prefix.
    if (!start.startsWith(prefix)) return 0;
    let at = this.#chunkOf(start);
    let chunk = this.#chunks[at];
    if (chunk === undefined) return 0;
    let count = -this.#lowerBound(chunk.keys, start);
    while (chunk !== undefined) {
      const next = this.#chunks[at + 1];
      if (next === undefined || !(next.keys[0] as string).startsWith(prefix)) {
        return count + this.#prefixEnd(chunk.keys, prefix);
      }
      count += chunk.keys.length;
      chunk = next;
      at++;
    }
    return count;
  }

  #noteKey(key: string): void {
    if (this.#plain && nonPlain.test(key)) this.#plain = false;
  }

  /** Returns the values of `entriesWithPrefix` as an array, at most `limit` of them. Faster than the iterator. */
  valuesWithPrefix(prefix: string, from = prefix, limit = Number.POSITIVE_INFINITY): V[] {
    const found: V[] = [];
    const start = this.#compare(from, prefix) < 0 ? prefix : from;
    if (!start.startsWith(prefix)) return found;
    let at = this.#chunkOf(start);
    let chunk = this.#chunks[at];
    let index = chunk === undefined ? 0 : this.#lowerBound(chunk.keys, start);
    while (chunk !== undefined && found.length < limit) {
      const { keys, values } = chunk;
      const end = (keys[keys.length - 1] as string).startsWith(prefix) ? keys.length : this.#prefixEnd(keys, prefix);
      const stop = Math.min(end, index + limit - found.length);
      while (index < stop) found.push(values[index++] as V);
      if (end < keys.length) break;
      chunk = this.#chunks[++at];
      index = 0;
    }
    return found;
  }

  #compare(a: string, b: string): number {
    if (this.#plain) return a < b ? -1 : a === b ? 0 : 1;
    return compareKeys(a, b);
  }

  /**
   * Returns the index of the chunk that has the key or would receive it: the last chunk whose first key is not after
   * it, or 0.
   */
  #chunkOf(key: string): number {
    const chunks = this.#chunks;
    const plain = this.#plain;
    let low = 0;
    let high = chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = (chunks[middle] as Chunk<V>).keys[0] as string;
      if (plain ? first <= key : compareKeys(first, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the index of the first key that is not before `key`, or `keys.length`. */
  #lowerBound(keys: readonly string[], key: string): number {
    const plain = this.#plain;
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = keys[middle] as string;
      if (plain ? candidate < key : compareKeys(candidate, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the index of the first key that is after all keys with the prefix, or `keys.length`. */
  #prefixEnd(keys: readonly string[], prefix: string): number {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const key = keys[middle] as string;
      if (key.startsWith(prefix) || this.#compare(key, prefix) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insertIntoFull(at: number, index: number, key: string, value: V): void {
    const chunk = this.#chunks[at] as Chunk<V>;
    // Keys that are inserted in order fill every chunk, instead of leaving each one half full.
    const split = index === chunk.keys.length ? index : chunkSize / 2;
    const next: Chunk<V> = { keys: chunk.keys.splice(split), values: chunk.values.splice(split) };
    this.#chunks.splice(at + 1, 0, next);
    if (index < split) insert(chunk, index, key, value);
    else insert(next, index - split, key, value);
  }

  /** Merges this chunk and the next, if together they fill at most half a chunk. */
  #join(at: number): void {
    const chunk = this.#chunks[at];
    const next = this.#chunks[at + 1];
    if (chunk === undefined || next === undefined || chunk.keys.length + next.keys.length > chunkSize / 2) return;
    chunk.keys.push(...next.keys);
    chunk.values.push(...next.values);
    this.#chunks.splice(at + 1, 1);
  }
}

function insert<V>(chunk: Chunk<V>, index: number, key: string, value: V): void {
  if (index === chunk.keys.length) {
    chunk.keys.push(key);
    chunk.values.push(value);
  } else {
    chunk.keys.splice(index, 0, key);
    chunk.values.splice(index, 0, value);
  }
}

/**
 * Compares in the order of UTF-8 bytes. Returns a negative number, zero or a positive number, as `Array.sort` expects.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const unitA = a.charCodeAt(index);
    const unitB = b.charCodeAt(index);
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

/** Surrogates encode the code points above U+FFFF, so they sort after U+E000–U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
