import { readJson } from '@coxswain/apimachinery/codec/json';
import { isNodeBytes } from './node-bytes.ts';

// Texts are decoded in pieces, of which only the first begins something.
const decoder = new TextDecoder(undefined, { ignoreBOM: true });
const statusStart = new TextEncoder().encode(',"status":{');
const nothing = new Uint8Array(0);
const asTheyAre = (parts: object): object => parts;

/** How many objects with unread parts there were, and of how many these were looked at. */
export interface Interest {
  offered: number;
  taken: number;
}

/** What a watch knows of the parts of its objects that wait to be read. */
export interface Waiting extends Interest {
  /** Those whose text is still a part of what came. */
  readonly borrowed: UnreadParts[];
}

/** The text of members that have not been looked at, `"spec":{…},"status":{…}`, until somebody does. */
export class UnreadParts {
  readonly members: readonly string[];
  /** Has the last word on what was read. */
  prepare: (parts: object) => object = asTheyAre;
  /** The text is both of these together. The first is a part of the text of an older state of the object, or nothing. */
  #start: Uint8Array = nothing;
  #rest: Uint8Array;
  /** The rest is a part of something that will be used again. */
  #isBorrowed: boolean;
  readonly #interest: Interest | undefined;

  /** The text is only borrowed where there is a list of such. */
  constructor(members: readonly string[], text: Uint8Array, borrowed?: UnreadParts[], interest?: Interest) {
    this.members = members;
    this.#rest = text;
    this.#isBorrowed = borrowed !== undefined;
    borrowed?.push(this);
    this.#interest = interest;
    if (interest) interest.offered++;
  }

  read(): object {
    if (this.#interest) this.#interest.taken++;
    return this.prepare(parsedMembers(decoder.decode(this.#start) + decoder.decode(this.#rest)));
  }

  /** Nobody will read it any more. */
  forget(): void {
    this.#start = nothing;
    this.#rest = nothing;
    this.#isBorrowed = false;
  }

  /**
   * Takes from an older state of the object what is the same there: the whole text, if only metadata changed, or all before the
   * status. So that is held once, and need not be copied. With the latter an older status stays too, but never more than one.
   */
  takeFrom(older: UnreadParts): void {
    if (!this.#isBorrowed || older.#isBorrowed) return;
    if (this.#takeStart(older.#start) && isSame(this.#rest, older.#rest)) {
      this.#rest = older.#rest;
      this.#isBorrowed = false;
    } else if (older.#start.length === 0) {
      this.#takeStart(older.#rest.subarray(0, endOfSpec(this.#rest)));
    }
  }

  /** Returns whether the text begins so. */
  #takeStart(start: Uint8Array): boolean {
    const { length } = start;
    if (length === 0) return true;
    if (!isSame(this.#rest.subarray(0, length), start)) return false;
    this.#start = start;
    this.#rest = this.#rest.subarray(length);
    return true;
  }

  /** Ends the borrowing. */
  keep(): void {
    if (!this.#isBorrowed) return;
    this.#isBorrowed = false;
    // Not as a string: that would lie in the engine's heap, and be moved there.
    this.#rest = new Uint8Array(this.#rest);
  }
}

function parsedMembers(text: string): object {
  try {
    const parts = readJson(`{${text}}`);
    if (typeof parts === 'object' && parts !== null) return parts;
  } catch {
    // The parser's own message quotes the text, which may be secret.
  }
  throw new SyntaxError('the server sent an object that is no JSON');
}

/** Whether they are known to be equal. */
const isSame = (bytes: Uint8Array, others: Uint8Array): boolean =>
  bytes.length === others.length && isNodeBytes(bytes) && bytes.equals(others);

/** Zero if it is not known, or if it is the end of the text. */
const endOfSpec = (text: Uint8Array): number => (isNodeBytes(text) ? Math.max(text.indexOf(statusStart), 0) : 0);
