import type { NodeBytes } from './node-bytes.ts';

/** Texts of a few hundred typical pods. The longest is that part of it: one object must not drive out all the others. */
const ringBytes = 256 * 1024;
const longestBytes = ringBytes / 16;

/** An object that went into a cache. */
export interface Holder {
  readonly spec?: unknown;
}

interface Entry {
  /** Its newest state: what it has as `spec` by now may have been shared with other objects. */
  holder: Holder;
  /** Where in the ring its text is. */
  readonly at: number;
  readonly length: number;
}

/**
 * Specs that lately went into a cache, and their texts. Most events are about what became of an object, not about what is wanted of it:
 * where the text is the same, the next state has the very same `spec`, which need not be read again, compared or held twice.
 *
 * The texts lie in a ring: the newest takes the place of the oldest.
 */
export class RecentSpecs {
  /** By UID; the oldest first. */
  readonly #entries = new Map<string, Entry>();
  #ring: Uint8Array | undefined;
  #head = 0;

  /** The `spec` of the object and how long its text is, if the text from there on is that of its last one. */
  find(uid: string, text: NodeBytes, from: number): { readonly spec: object; readonly length: number } | undefined {
    const entry = this.#entries.get(uid);
    if (!entry || from + entry.length > text.length) return undefined;
    const { holder, at, length } = entry;
    if (text.compare(this.#ring!, at, at + length, from, from + length) !== 0) return undefined;
    const { spec } = holder;
    // A whole JSON object is no beginning of another: so this is all of it.
    return typeof spec === 'object' && spec !== null ? { spec, length } : undefined;
  }

  /** The object has a new `spec`, of that text, which is known to be JSON. */
  remember(uid: string, holder: Holder, text: NodeBytes, from: number, to: number): void {
    this.#entries.delete(uid);
    const length = to - from;
    if (length > longestBytes) return;
    this.#ring ??= new Uint8Array(ringBytes);
    const at = this.#makeRoom(length);
    this.#ring.set(text.subarray(from, to), at);
    this.#head = at + length;
    this.#entries.set(uid, { holder, at, length });
  }

  /** The object has a new state with the same `spec`. */
  follow(uid: string, holder: Holder): void {
    const entry = this.#entries.get(uid);
    if (entry) entry.holder = holder;
  }

  forget(uid: string): void {
    this.#entries.delete(uid);
    if (this.#entries.size > 0) return;
    this.#ring = undefined;
    this.#head = 0;
  }

  /** Where a text of that length can be put now. */
  #makeRoom(length: number): number {
    const end = this.#head + length;
    this.#overwrite(this.#head, Math.min(end, ringBytes));
    if (end <= ringBytes) return this.#head;
    this.#overwrite(0, length);
    return 0;
  }

  /** They lie in the order of their age: those that begin there are the oldest. */
  #overwrite(from: number, to: number): void {
    for (const [uid, { at }] of this.#entries) {
      if (at < from || at >= to) return;
      this.#entries.delete(uid);
    }
  }
}
