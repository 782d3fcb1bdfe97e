import { continueUnread, unreadMembers } from '../lazy-objects/index.ts';

/** Size limits of the two tables, powers of two. They grow on demand to at most about 400 kB. */
const fewestSlots = 1 << 6;
const mostSlots = 1 << 14;
/** V8 internalizes shorter strings itself; longer ones are rarely equal. */
const shortestString = 11;
const longestString = 256;
/** When no more than this fraction of the maximum number of objects is left, all tables are cleared. */
const fewLeft = 1 / 16;
/** Parts below this depth are not shared. */
const deepest = 64;

/**
 * Deduplicates equal parts of different objects: labels of the pods of a ReplicaSet, their probes and volumes, names of
 * nodes and images, the trees of managedFields. Objects of a cluster are so similar that a cache takes less than half
 * the memory (10,000 typical pods: 3.7 kB each instead of 10.5), and an update adds only the changed parts.
 *
 * A shared part is frozen: changing it in one object would change it in all, so an attempt throws a TypeError.
 *
 * The tables have a limited number of slots. A part is stored when it occurs the second time, and frequent parts are
 * preferred. A part that is not in the tables is not shared, which is harmless.
 */
export class PartSharing {
  #parts: (object | undefined)[] = [];
  /**
   * Hash and number of children of the last part of each slot, also of parts that occurred only once. Most parts never
   * occur again, so these are not stored themselves.
   */
  #hashes = new Int32Array(0);
  #sizes = new Uint32Array(0);
  /** How often the part of each slot occurred again, up to 3. Higher values are replaced later. */
  #worth = new Uint8Array(0);
  #strings: (string | undefined)[] = [];
  /** The hash of the last string of each slot. */
  #stringHashes = new Int32Array(0);
  /** Number of used slots of both tables. */
  #taken = 0;
  /** Maximum number of objects since the last clearing. */
  #most = 0;
  /** Hash and size of the last visited value: results of `#shared` and `#shareChildren`. */
  #hash = 0;
  #size = 0;

  /**
   * Returns the object itself, with its parts replaced by equal parts that were seen before. The caller must own the
   * object. Unread members are parsed: shared parts take less memory than their text.
   */
  share<T extends object>(object: T): T {
    if (this.#taken >= this.#parts.length && this.#parts.length < mostSlots) this.#grow();
    this.#shareChildren(object, 0);
    return object;
  }

  /**
   * Like `share`, for the next state of a cached object: unchanged parts are replaced by those of the old state. That
   * is faster than a table lookup; changed parts are not looked up. Freezes nothing. Unread members stay unread.
   */
  shareNext<T extends object>(old: T, object: T): T {
    continueUnread(old, object, this.#shareParts);
    continueUnread(metadataOf(old), metadataOf(object), this.#shareParts);
    reuse(old, object, 0);
    return object;
  }

  /**
   * To be called after each deletion with the number of remaining objects. Clears the tables when they are few compared
   * to the maximum.
   */
  forgetUnlessMany(objects: number): void {
    // One object was deleted just before.
    this.#most = Math.max(this.#most, objects + 1);
    if (objects > this.#most * fewLeft) return;
    this.#most = objects;
    this.#parts = [];
    this.#strings = [];
    this.#hashes = new Int32Array(0);
    this.#sizes = new Uint32Array(0);
    this.#worth = new Uint8Array(0);
    this.#stringHashes = new Int32Array(0);
    this.#taken = 0;
  }

  readonly #shareParts = (parts: object): object => this.share(parts);

  #grow(): void {
    const [parts, hashes, sizes, worth, strings] = [this.#parts, this.#hashes, this.#sizes, this.#worth, this.#strings];
    const slots = Math.max(parts.length * 4, fewestSlots);
    this.#parts = new Array(slots).fill(undefined);
    this.#strings = new Array(slots).fill(undefined);
    this.#hashes = new Int32Array(slots);
    this.#sizes = new Uint32Array(slots);
    this.#worth = new Uint8Array(slots);
    this.#stringHashes = new Int32Array(slots);
    this.#taken = 0;
    for (const [old, part] of parts.entries()) {
      if (part) this.#put(this.#slotOf(hashes[old]!), part, hashes[old]!, sizes[old]!, worth[old]!);
    }
    for (const text of strings) {
      if (text !== undefined) this.#putString(hashOf(text), text);
    }
  }

  #slotOf(hash: number): number {
    return (hash ^ (hash >>> 16)) & (this.#parts.length - 1);
  }

  /** Without `part`, records only that a part with this hash occurred. */
  #put(slot: number, part: object | undefined, hash: number, size: number, worth: number): void {
    if (this.#hashes[slot] === 0) this.#taken++;
    this.#parts[slot] = part;
    this.#hashes[slot] = hash;
    this.#sizes[slot] = size;
    this.#worth[slot] = worth;
  }

  #putString(hash: number, text: string | undefined): void {
    const slot = hash & (this.#strings.length - 1);
    if (this.#stringHashes[slot] === 0) this.#taken++;
    this.#stringHashes[slot] = hash;
    this.#strings[slot] = text;
  }

  /** Shares the children of a node, and sets `#hash` and `#size`, which are equal for equal nodes. */
  #shareChildren(node: object, depth: number): void {
    let hash = 17;
    let size = 0;
    if (Array.isArray(node)) {
      for (size = 0; size < node.length; size++) {
        const child: unknown = node[size];
        const shared = this.#shared(child, depth + 1);
        if (shared !== child && !Object.isFrozen(node)) node[size] = shared;
        hash = mix(hash, this.#hash);
      }
      hash = mix(hash, 19);
    } else {
      const record = node as Record<string, unknown>;
      for (const key in record) {
        const child = record[key];
        const shared = this.#shared(child, depth + 1);
        if (shared !== child && !Object.isFrozen(node)) record[key] = shared;
        hash = mix(hash ^ (key.length + (key.charCodeAt(key.length - 1) << 8)), this.#hash);
        size++;
      }
    }
    this.#hash = hash;
    this.#size = size;
  }

  #shared(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        this.#hash = hashOf(value);
        return value.length < shortestString || value.length > longestString ? value : this.#sharedString(value);
      case 'number':
        this.#hash = value | 0;
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
    const slot = this.#hash & (this.#strings.length - 1);
    const known = this.#strings[slot];
    if (known === value) return known;
    this.#putString(this.#hash, this.#stringHashes[slot] === this.#hash ? value : undefined);
    return value;
  }

  #sharedNode(node: object, depth: number): object {
    this.#shareChildren(node, depth);
    const [hash, size] = [this.#hash, this.#size];
    const slot = this.#slotOf(hash);
    const known = this.#parts[slot];
    const worth = this.#worth[slot]!;
    const cameBefore = this.#hashes[slot] === hash && this.#sizes[slot] === size;
    if (known !== undefined && cameBefore && isSame(known, node)) {
      if (worth === 0) Object.freeze(known);
      if (worth < 3) this.#worth[slot] = worth + 1;
      return known;
    }
    // A part that occurred repeatedly is not replaced by the first other part of the same slot.
    if (worth > 0) this.#worth[slot] = worth - 1;
    else this.#put(slot, cameBefore ? node : undefined, hash, size, 0);
    return node;
  }
}

/** The metadata, which is never an unread member itself. */
const metadataOf = (object: { metadata?: unknown }): object => (isObject(object.metadata) ? object.metadata : {});

/** Replaces parts of the node by equal parts of the old node. */
function reuse(old: object, node: object, depth: number): void {
  if (Array.isArray(old) !== Array.isArray(node) || Object.isFrozen(node)) return;
  const [before, after] = [old as Record<string, unknown>, node as Record<string, unknown>];
  // Unread members must stay unread.
  const [unread, unreadBefore] = [unreadMembers(node), unreadMembers(old)];
  for (const key in after) {
    if (unread.includes(key) || unreadBefore.includes(key)) continue;
    const [was, is] = [before[key], after[key]];
    // `__proto__` is an inherited accessor, not a part.
    if (was === is || !isObject(was) || !isObject(is) || key === '__proto__') continue;
    if (isEqual(was, is, depth)) after[key] = was;
    else if (depth < deepest) reuse(was, is, depth + 1);
  }
}

function isEqual(a: object, b: object, depth: number): boolean {
  if (depth > deepest) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!isEqualValue(a[i], b[i], depth)) return false;
    return true;
  }
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  let extra = 0;
  for (const key in one) {
    if (!isEqualValue(one[key], other[key], depth) || one[key] === undefined || key === '__proto__') return false;
    extra++;
  }
  for (const _ in other) extra--;
  return extra === 0;
}

const isEqualValue = (a: unknown, b: unknown, depth: number): boolean =>
  a === b || (isObject(a) && isObject(b) && isEqual(a, b, depth + 1));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether two nodes of equal size are equal. Their children were shared before, so equal children are identical. */
function isSame(a: object, b: object): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b)) return false;
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
    return true;
  }
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in one) if (one[key] !== other[key] || one[key] === undefined) return false;
  return true;
}

const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193) ^ (hash >>> 15);

/** A hash of the length and a few characters, mostly from the end, where names differ. */
function hashOf(text: string): number {
  const last = text.length - 1;
  if (last < 4)
    return mix(
      text.length,
      last < 0 ? 0 : text.charCodeAt(last) | (text.charCodeAt(0) << 8) | (text.charCodeAt(last >> 1) << 16),
    );
  return mix(
    mix(text.length, text.charCodeAt(0) | (text.charCodeAt(last >> 1) << 8) | (text.charCodeAt(last >> 2) << 16)),
    text.charCodeAt(last) |
      (text.charCodeAt(last - 1) << 8) |
      (text.charCodeAt(last - 2) << 16) |
      (text.charCodeAt(last - 4) << 24),
  );
}
