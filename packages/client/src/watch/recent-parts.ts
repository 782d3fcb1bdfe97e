import { isObject } from './lazy-reading.ts';
import type { NodeBytes } from './node-bytes.ts';

/** At most, texts of a hundred typical pods, and more beside a large cache: what changes there at one time is more, too. */
const usualBytes = 256 * 1024;
const bytesPerObject = 64;
const mostBytes = 2 * 1024 * 1024;
/** One object must not drive out all the others. */
const longestBytes = usualBytes / 16;
const fewestBytes = 8 * 1024;
const nothing = new Uint8Array(0);

/** An object that went into a cache. */
export interface Holder {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** What of the next state of an object is known already. */
export interface KnownParts {
  readonly spec: object;
  /** How long its text is. */
  readonly specLength: number;
  /** All that comes after it is known as well. */
  readonly isWhole: boolean;
  /** Then its `status`, if it has one. */
  readonly status: object | undefined;
}

interface Entry {
  /** Its newest state: what it has as `spec` by now may have been shared with other objects. */
  holder: Holder;
  /** Where in the ring its text is, the `spec` first. */
  at: number;
  readonly specLength: number;
  readonly length: number;
}

/**
 * Specs and statuses that lately went into a cache, and their texts. Most events are about what became of an object, not about what is
 * wanted of it, and in those of its end mostly neither is new: where the text is the same, the next state has the very same part,
 * which need not be read again, compared or held twice.
 *
 * The texts lie in a ring, which grows while it is more than half full; then the newest takes the place of the oldest.
 */
export class RecentParts {
  readonly #objects: () => number;
  /** By UID; the oldest first. */
  readonly #entries = new Map<string, Entry>();
  #ring: Uint8Array = nothing;
  #head = 0;
  /** Bytes of all texts. */
  #used = 0;

  /** `objects`: how many the cache has. */
  constructor(objects: () => number = () => 0) {
    this.#objects = objects;
  }

  /** What is known of the object, if the text from there on begins with its last `spec`. */
  find(uid: string, text: NodeBytes, from: number, to: number): KnownParts | undefined {
    const entry = this.#entries.get(uid);
    if (!entry) return undefined;
    const { holder, at, specLength, length } = entry;
    const specEnd = from + specLength;
    if (specEnd > to || text.compare(this.#ring, at, at + specLength, from, specEnd) !== 0) return undefined;
    const { spec, status } = holder;
    // A whole JSON object is no beginning of another: so this is all of it.
    if (!isObject(spec)) return undefined;
    const isSame = to - from === length && text.compare(this.#ring, at + specLength, at + length, specEnd, to) === 0;
    const isWhole = isSame && (isObject(status) || specLength === length);
    return { spec, specLength, isWhole, status: isWhole && isObject(status) ? status : undefined };
  }

  /** The object has new parts, of that text, which is known to be JSON; the `spec` ends there. */
  remember(uid: string, holder: Holder, text: NodeBytes, from: number, specEnd: number, to: number): void {
    this.#remove(uid);
    const length = to - from;
    if (length > longestBytes) return;
    if (this.#used + length > this.#ring.length / 2) this.#grow(this.#used + length);
    const at = this.#makeRoom(length);
    this.#ring.set(text.subarray(from, to), at);
    this.#head = at + length;
    this.#used += length;
    this.#entries.set(uid, { holder, at, specLength: specEnd - from, length });
  }

  /** The object has a new state with the same parts. */
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
    const most = Math.min(Math.max(usualBytes, this.#objects() * bytesPerObject), mostBytes);
    let length = Math.max(this.#ring.length, fewestBytes);
    while (length * 2 <= most && length < bytes * 2) length *= 2;
    if (length <= this.#ring.length) return;
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
