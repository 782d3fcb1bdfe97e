import type { NodeBytes } from './node-bytes.ts';

/** At most, texts of a few hundred typical pods. The longest is that part of it: one object must not drive out all the others. */
const mostBytes = 256 * 1024;
const longestBytes = mostBytes / 16;
const fewestBytes = 8 * 1024;
const nothing = new Uint8Array(0);

/** An object that went into a cache. */
export interface Holder {
  readonly spec?: unknown;
}

interface Entry {
  /** Its newest state: what it has as `spec` by now may have been shared with other objects. */
  holder: Holder;
  /** Where in the ring its text is. */
  at: number;
  readonly length: number;
}

/**
 * Specs that lately went into a cache, and their texts. Most events are about what became of an object, not about what is wanted of it:
 * where the text is the same, the next state has the very same `spec`, which need not be read again, compared or held twice.
 *
 * The texts lie in a ring, which grows while it is more than half full; then the newest takes the place of the oldest.
 */
export class RecentSpecs {
  /** By UID; the oldest first. */
  readonly #entries = new Map<string, Entry>();
  #ring: Uint8Array = nothing;
  #head = 0;
  /** Bytes of all texts. */
  #used = 0;

  /** The `spec` of the object and how long its text is, if the text from there on is that of its last one. */
  find(uid: string, text: NodeBytes, from: number): { readonly spec: object; readonly length: number } | undefined {
    const entry = this.#entries.get(uid);
    if (!entry || from + entry.length > text.length) return undefined;
    const { holder, at, length } = entry;
    if (text.compare(this.#ring, at, at + length, from, from + length) !== 0) return undefined;
    const { spec } = holder;
    // A whole JSON object is no beginning of another: so this is all of it.
    return typeof spec === 'object' && spec !== null ? { spec, length } : undefined;
  }

  /** The object has a new `spec`, of that text, which is known to be JSON. */
  remember(uid: string, holder: Holder, text: NodeBytes, from: number, to: number): void {
    this.#remove(uid);
    const length = to - from;
    if (length > longestBytes) return;
    if (this.#used + length > this.#ring.length / 2 && this.#ring.length < mostBytes) this.#grow(this.#used + length);
    const at = this.#makeRoom(length);
    this.#ring.set(text.subarray(from, to), at);
    this.#head = at + length;
    this.#used += length;
    this.#entries.set(uid, { holder, at, length });
  }

  /** The object has a new state with the same `spec`. */
  follow(uid: string, holder: Holder): void {
    const entry = this.#entries.get(uid);
    if (entry) entry.holder = holder;
  }

  forget(uid: string): void {
    this.#remove(uid);
    if (this.#entries.size > 0) return;
    this.#ring = nothing;
    this.#head = 0;
  }

  #remove(uid: string): void {
    this.#used -= this.#entries.get(uid)?.length ?? 0;
    this.#entries.delete(uid);
  }

  /** Makes it twice as long as what it is to hold, if it may be. */
  #grow(bytes: number): void {
    let length = Math.max(this.#ring.length, fewestBytes);
    while (length < mostBytes && length < bytes * 2) length *= 2;
    const larger = new Uint8Array(length);
    this.#head = 0;
    for (const entry of this.#entries.values()) {
      larger.set(this.#ring.subarray(entry.at, entry.at + entry.length), this.#head);
      entry.at = this.#head;
      this.#head += entry.length;
    }
    this.#ring = larger;
  }

  /** Where a text of that length can be put now. */
  #makeRoom(length: number): number {
    const end = this.#head + length;
    this.#overwrite(this.#head, Math.min(end, this.#ring.length));
    if (end <= this.#ring.length) return this.#head;
    this.#overwrite(0, length);
    return 0;
  }

  /** They lie in the order of their age: those that begin there are the oldest. */
  #overwrite(from: number, to: number): void {
    for (const [uid, { at }] of this.#entries) {
      if (at < from || at >= to) return;
      this.#remove(uid);
    }
  }
}
