import { readJson } from '@coxswain/apimachinery/codec/json';
import { isNodeBytes } from './node-bytes.ts';

// ignoreBOM: the text is decoded in pieces, and only the first could begin with a byte order mark.
const decoder = new TextDecoder(undefined, { ignoreBOM: true });
const statusStart = new TextEncoder().encode(',"status":{');
const nothing = new Uint8Array(0);
const unchanged = (parts: object): object => parts;

/** Counts objects with unread members (`offered`), and those of them whose members were read later (`taken`). */
export interface ReadCounters {
  offered: number;
  taken: number;
}

/** Counters for the objects of one watch. */
export interface UnreadCounters extends ReadCounters {
  /** Parts whose text is still a view into the connection's buffer. */
  readonly borrowed: UnreadParts[];
}

/** The text of unread members, such as `"spec":{…},"status":{…}`. */
export class UnreadParts {
  readonly members: readonly string[];
  /** Called with the parsed members; what it returns is put into the object. */
  prepare: (parts: object) => object = unchanged;
  /** The text is `#start` followed by `#rest`. `#start` is shared with an older state of the object, or empty. */
  #start: Uint8Array = nothing;
  #rest: Uint8Array;
  /** `#rest` is a view into a buffer that will be used again. */
  #isBorrowed: boolean;
  readonly #counters: ReadCounters | undefined;

  /** With a list `borrowed`, the text is a view into a buffer; the parts are added to the list. */
  constructor(members: readonly string[], text: Uint8Array, borrowed?: UnreadParts[], counters?: ReadCounters) {
    this.members = members;
    this.#rest = text;
    this.#isBorrowed = borrowed !== undefined;
    borrowed?.push(this);
    this.#counters = counters;
    if (counters) counters.offered++;
  }

  /** Parses the text. Throws a SyntaxError, which does not quote it. */
  read(): object {
    if (this.#counters) this.#counters.taken++;
    return this.prepare(parseMembers(decoder.decode(this.#start) + decoder.decode(this.#rest)));
  }

  /** Releases the text. It must not be read afterwards. */
  release(): void {
    this.#start = nothing;
    this.#rest = nothing;
    this.#isBorrowed = false;
  }

  /**
   * Shares equal text with an older state of the same object: the whole text if only the metadata changed, or everything before the
   * status. Shared text is held once and not copied. An older status may be kept alive by that, but never more than one.
   */
  shareWith(older: UnreadParts): void {
    if (!this.#isBorrowed || older.#isBorrowed) return;
    if (this.#shareStart(older.#start) && isSame(this.#rest, older.#rest)) {
      this.#rest = older.#rest;
      this.#isBorrowed = false;
    } else if (older.#start.length === 0) {
      this.#shareStart(older.#rest.subarray(0, endOfSpec(this.#rest)));
    }
  }

  /** Returns whether the text begins with `start`, which is shared then. */
  #shareStart(start: Uint8Array): boolean {
    const { length } = start;
    if (length === 0) return true;
    if (!isSame(this.#rest.subarray(0, length), start)) return false;
    this.#start = start;
    this.#rest = this.#rest.subarray(length);
    return true;
  }

  /** Copies the text out of the connection's buffer. */
  keep(): void {
    if (!this.#isBorrowed) return;
    this.#isBorrowed = false;
    // As bytes: a string would be in V8's heap, and be moved by the garbage collector.
    this.#rest = new Uint8Array(this.#rest);
  }
}

function parseMembers(text: string): object {
  try {
    const parts = readJson(`{${text}}`);
    if (typeof parts === 'object' && parts !== null) return parts;
  } catch {
    // The parser's message quotes the text, which may be secret.
  }
  throw new SyntaxError('the server sent an object that is not JSON');
}

/** False also where comparing would cost more than copying. */
const isSame = (bytes: Uint8Array, others: Uint8Array): boolean =>
  bytes.length === others.length && isNodeBytes(bytes) && bytes.equals(others);

/** Where the status begins. Zero if there is none, or if finding it would cost too much. */
const endOfSpec = (text: Uint8Array): number => (isNodeBytes(text) ? Math.max(text.indexOf(statusStart), 0) : 0);
