/** Slots of the tables; a power of two. Together they take about 300 kB, and what they hold is a part of some object. */
const slots = 1 << 14;
/** Shorter strings are held once by the engine itself; longer ones are rarely alike. */
const shortestString = 11;
const longestString = 256;
/** Below this depth parts are left as they are. */
const deepest = 64;

/**
 * Makes parts that are equal in several objects one and the same: labels of the pods of a ReplicaSet, their probes and
 * volumes, names of nodes and images, the trees of managedFields. Objects of a cluster are so much alike that a cache takes
 * less than half the memory then, and an update that changes one field brings one new part.
 *
 * A part that is shared is frozen: to change it in one object would change it in all of them, so that is a TypeError.
 *
 * It remembers as many parts as there are slots, preferring those that come again: what it does not remember is not
 * shared, which does no harm.
 */
export class PartSharing {
  #parts: (object | undefined)[] | undefined;
  /** How much each part in the table is worth keeping: how often it came again, up to 3. */
  #worth = new Uint8Array(0);
  #strings: (string | undefined)[] = [];
  /** The hash of the value that `#shared` looked at last. */
  #hash = 0;

  /** The object itself, with its parts replaced by equal ones that were seen before. */
  share<T extends object>(object: T): T {
    if (this.#parts === undefined) {
      this.#parts = new Array(slots);
      this.#strings = new Array(slots);
      this.#worth = new Uint8Array(slots);
    }
    this.#shareChildren(object, 0);
    return object;
  }

  /** Sets `#hash` to that of the node, of which equal nodes have the same. */
  #shareChildren(node: object, depth: number): void {
    let hash = 17;
    if (Array.isArray(node)) {
      for (let i = 0; i < node.length; i++) {
        const child: unknown = node[i];
        const shared = this.#shared(child, depth + 1);
        if (shared !== child) node[i] = shared;
        hash = mix(hash, this.#hash);
      }
      hash = mix(hash, node.length);
    } else {
      const record = node as Record<string, unknown>;
      for (const key in record) {
        const child = record[key];
        const shared = this.#shared(child, depth + 1);
        if (shared !== child) record[key] = shared;
        hash = mix(mix(hash, hashOf(key)), this.#hash);
      }
    }
    this.#hash = hash;
  }

  #shared(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        this.#hash = hashOf(value);
        return value.length < shortestString || value.length > longestString ? value : this.#sharedString(value);
      case 'number':
        this.#hash = mix(3, value | 0);
        return value;
      case 'object':
        this.#hash = 5;
        return value === null || depth > deepest ? value : this.#sharedNode(value, depth);
      default:
        this.#hash = value === true ? 7 : 11;
        return value;
    }
  }

  #sharedString(value: string): string {
    const slot = this.#hash & (slots - 1);
    const known = this.#strings[slot];
    if (known === value) return known;
    this.#strings[slot] = value;
    return value;
  }

  #sharedNode(node: object, depth: number): object {
    // Was shared before it came here: its parts are what they should be.
    this.#shareChildren(node, depth);
    const slot = (this.#hash ^ (this.#hash >>> 16)) & (slots - 1);
    const parts = this.#parts!;
    const known = parts[slot];
    const worth = this.#worth[slot]!;
    if (known !== undefined && isSame(known, node)) {
      if (worth < 3) {
        if (worth === 0) Object.freeze(known);
        this.#worth[slot] = worth + 1;
      }
      return known;
    }
    if (worth > 0) this.#worth[slot] = worth - 1;
    else parts[slot] = node;
    return node;
  }
}

/** Whether two nodes are equal whose parts were shared: then these are the same ones. */
function isSame(a: object, b: object): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
    return true;
  }
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  let extra = 0;
  for (const key in one) {
    if (one[key] !== other[key]) return false;
    extra++;
  }
  for (const _ in other) extra--;
  return extra === 0;
}

const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193) ^ (hash >>> 15);

/** Of the length and a few characters: names differ mostly at their ends. */
function hashOf(text: string): number {
  const last = text.length - 1;
  let hash = mix(text.length, text.charCodeAt(last));
  if (last > 0) {
    hash = mix(hash, text.charCodeAt(0) | (text.charCodeAt(last - 1) << 8));
    hash = mix(hash, text.charCodeAt(last >> 1) | (text.charCodeAt(last >> 2) << 8));
  }
  if (last > 3) hash = mix(hash, text.charCodeAt(last - 2) | (text.charCodeAt(last - 3) << 8) | (text.charCodeAt(last - 4) << 16));
  return hash;
}
