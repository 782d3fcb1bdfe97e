import type { NodeBytes } from './node-bytes.ts';
import { isObject } from './object-layout.ts';

/** Size of the ring: about a hundred typical pods; more beside a large cache, where more objects change at the same time. */
const usualBytes = 256 * 1024;
const bytesPerObject = 64;
const mostBytes = 2 * 1024 * 1024;
/** Longer texts are not remembered, so that one object cannot drive out all others. */
const longestBytes = usualBytes / 16;
const fewestBytes = 8 * 1024;
const nothing = new Uint8Array(0);

/** What a cache uses of the objects of its watches. The cache never changes them. */
export interface CacheNeeds {
  /** Whether it holds `metadata.managedFields`. */
  readonly managedFields: boolean;
  /** Kept beside the cache, and used by one watch after the other. */
  readonly recent: RecentParts;
}

/** `size`: the number of objects in the cache. */
export const cacheNeeds = (managedFields: boolean, size: () => number): CacheNeeds => ({
  managedFields,
  recent: new RecentParts(size),
});

/** A cached object. */
export interface Holder {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** The parts of an object's next state that equal those of its last state. */
export interface KnownParts {
  readonly spec: object;
  /** Length of its text. */
  readonly specLength: number;
  /** Everything after the `spec` is equal as well. */
  readonly isWhole: boolean;
  /** The `status`, if `isWhole` and there is one. */
  readonly status: object | undefined;
}

interface Entry {
  /** The object's newest state. Its `spec` may have been replaced by an equal one that is shared with other objects. */
  holder: Holder;
  /** Offset of its text in the ring; the `spec` comes first. */
  at: number;
  readonly specLength: number;
  readonly length: number;
}

/**
 * The texts of specs and statuses that recently went into a cache. Most events change only the status, and those of deletions often
 * neither: where the text is equal, the next state gets the very same `spec` object (and `status`), which is not parsed, compared or
 * held again.
 *
 * The texts lie in a ring. It grows while it is more than half full; at its largest size the newest text overwrites the oldest.
 */
export class RecentParts {
  readonly #objects: () => number;
  /** By UID, in the order of insertion: the oldest first. */
  readonly #entries = new Map<string, Entry>();
  #ring: Uint8Array = nothing;
  #head = 0;
  /** Sum of the texts' lengths. */
  #used = 0;

  /** `objects`: the number of objects in the cache. */
  constructor(objects: () => number = () => 0) {
    this.#objects = objects;
  }

  /** Returns undefined if the text at `from` does not begin with the object's last `spec`. */
  find(uid: string, text: NodeBytes, from: number, to: number): KnownParts | undefined {
    const entry = this.#entries.get(uid);
    if (!entry) return undefined;
    const { holder, at, specLength, length } = entry;
    const specEnd = from + specLength;
    if (specEnd > to || text.compare(this.#ring, at, at + specLength, from, specEnd) !== 0) return undefined;
    const { spec, status } = holder;
    // No JSON object is a prefix of another one, so the equal text is the whole `spec`.
    if (!isObject(spec)) return undefined;
    const isSame = to - from === length && text.compare(this.#ring, at + specLength, at + length, specEnd, to) === 0;
    const isWhole = isSame && (isObject(status) || specLength === length);
    return { spec, specLength, isWhole, status: isWhole && isObject(status) ? status : undefined };
  }

  /** Remembers the text of the object's new parts, which must be JSON. The `spec` ends at `specEnd`. */
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

  /** Records a new state of the object with the same parts. */
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

  /** Grows the ring to twice the given size, within its limit. */
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

  /** Returns the offset at which a text of that length can be written. */
  #makeRoom(length: number): number {
    const end = this.#head + length;
    this.#overwrite(this.#head, Math.min(end, this.#ring.length));
    if (end <= this.#ring.length) return this.#head;
    this.#overwrite(0, length);
    return 0;
  }

  /** Removes the entries that begin in this range. Texts lie in the order of their age, so these are the oldest. */
  #overwrite(from: number, to: number): void {
    for (const [uid, { at }] of this.#entries) {
      if (at < from || at >= to) return;
      this.#remove(uid);
    }
  }
}
