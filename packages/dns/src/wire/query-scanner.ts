/**
 * Reads queries of the usual form without allocating anything: one question, an OPT record or none. This is the first thing that happens with every packet, and
 * most packets need no more than it: their answer is found by `hash` and `key` (see `server/answer-table.ts`).
 *
 * Reading a query this way takes 0.2 µs, and decoding it to an object 1.5 µs.
 */
export class QueryScanner {
  /** The name in lower case and wire format, type, class, and the flags on which an answer depends. Valid are the first `keyLength` bytes. */
  readonly key = new Uint8Array(maxKeyLength);
  keyLength = 0;
  /** Of the key; 30 bits, so that it is no heap object. */
  hash = 0;
  flags = 0;
  type = 0;
  /** Where the question ends. */
  questionEnd = 0;
  hasEdns = false;
  /** The size of the client's buffer as it stands in the OPT record. */
  udpSize = 0;
  ednsFlags = 0;
  /** Differs between processes, so that nobody can choose names that have the same hash. */
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Returns false for everything that is not of the usual form, valid or not. The fields are then meaningless. */
  scan(bytes: Uint8Array): boolean {
    const { length } = bytes;
    // Header, the root, type and class.
    if (length < 17) return false;
    // A query with opcode QUERY that is not truncated, one question, no answers, no authorities.
    if ((bytes[2]! & 0xfa) !== 0 || bytes[4] !== 0 || bytes[5] !== 1) return false;
    if ((bytes[6]! | bytes[7]! | bytes[8]! | bytes[9]! | bytes[10]!) !== 0 || bytes[11]! > 1) return false;
    const { key } = this;
    let hash = this.#seed;
    let at = 12;
    let to = 0;
    for (;;) {
      const size = bytes[at]!;
      // A cut off name is `undefined` here, and a pointer is above 63.
      if (!(size <= 63) || at + size + 5 > length || to + size + 2 > 255) return false;
      key[to++] = size;
      hash = Math.imul(hash ^ size, fnvPrime);
      at++;
      if (size === 0) break;
      for (const end = at + size; at < end; at++) {
        let byte = bytes[at]!;
        if (byte >= 0x41 && byte <= 0x5a) byte |= 0x20;
        key[to++] = byte;
        hash = Math.imul(hash ^ byte, fnvPrime);
      }
    }
    // Type and class.
    for (const end = at + 4; at < end; at++) {
      const byte = bytes[at]!;
      key[to++] = byte;
      hash = Math.imul(hash ^ byte, fnvPrime);
    }
    this.questionEnd = at;
    this.type = (bytes[at - 4]! << 8) | bytes[at - 3]!;
    this.flags = (bytes[2]! << 8) | bytes[3]!;
    if (!this.#scanOpt(bytes, at)) return false;
    // The DNSSEC OK bit, CD and AD.
    const bits = ((this.ednsFlags & 0x8000) >> 8) | (this.flags & 0x30);
    key[to++] = bits;
    hash = Math.imul(hash ^ bits, fnvPrime);
    this.keyLength = to;
    this.hash = (hash ^ (hash >>> 15)) & 0x3fffffff;
    return true;
  }

  /** Options are skipped: none of them changes an answer. */
  #scanOpt(bytes: Uint8Array, at: number): boolean {
    this.hasEdns = bytes[11] === 1;
    this.udpSize = 0;
    this.ednsFlags = 0;
    if (!this.hasEdns) return at === bytes.length;
    if (at + 11 > bytes.length || bytes[at] !== 0 || bytes[at + 1] !== 0 || bytes[at + 2] !== 41) return false;
    // Version 0 and no extended response code.
    if (bytes[at + 5] !== 0 || bytes[at + 6] !== 0) return false;
    this.udpSize = (bytes[at + 3]! << 8) | bytes[at + 4]!;
    this.ednsFlags = (bytes[at + 7]! << 8) | bytes[at + 8]!;
    return at + 11 + ((bytes[at + 9]! << 8) | bytes[at + 10]!) === bytes.length;
  }
}

const fnvPrime = 0x01000193;
/** A name, type, class, and flags. */
const maxKeyLength = 255 + 4 + 1;
