import { propertyKey } from '../../schema/property-key.ts';
import { decodeUtf8 } from '../utf8.ts';

/** The number of slots: a power of two. With the bytes of the strings, a table takes some 300 kB. */
const slots = 4096;
/** Longer strings are not stored. */
const maxLength = 64;

/** Decodes a range of ASCII bytes. */
type AsciiSlice = (bytes: Uint8Array, start: number, end: number) => string;

/** Node's latin1Slice, where it exists: several times faster than TextDecoder for short strings, as objects have. */
function nativeSlice(): AsciiSlice | undefined {
  const { Buffer }: { Buffer?: { prototype?: { latin1Slice?: unknown } } } = globalThis as object;
  const slice = Buffer?.prototype?.latin1Slice;
  return typeof slice === 'function' ? (bytes, start, end) => slice.call(bytes, start, end) : undefined;
}

const sliceAscii: AsciiSlice = nativeSlice() ?? ((bytes, start, end) => decodeUtf8(bytes.subarray(start, end)));

function sliceUtf8(bytes: Uint8Array, start: number, end: number): string {
  for (let i = start; i < end; i++) if (bytes[i]! >= 0x80) return decodeUtf8(bytes.subarray(start, end));
  return sliceAscii(bytes, start, end);
}

/**
 * Decodes bytes to strings and caches short ones, because most strings in objects recur: names of labels, enumerated values, paths.
 * Finding a string is cheaper than decoding it again, and objects share one copy. The size is bounded: a string replaces another one on
 * the same slot.
 */
export class StringTable {
  readonly #strings: string[] = new Array<string>(slots).fill('');
  /** The bytes of the string on each slot, `maxLength` for each. Their numbers are in `#lengths`. */
  readonly #bytes = new Uint8Array(slots * maxLength);
  readonly #lengths = new Uint8Array(slots);
  /** The hash of the last string looked up on each slot. A string is stored only when it recurs, so that unique strings are not. */
  readonly #hashes = new Int32Array(slots);

  /** Returns the UTF-8 string from `start` to `end`. Invalid characters are replaced. */
  get(bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    if (length > maxLength) return sliceUtf8(bytes, start, end);
    // Some of the bytes of a long string distinguish it from others as well as all of them.
    const step = 1 + (length >> 4);
    let hash = length;
    for (let i = start; i < end; i += step) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
    const slot = (hash ^ (hash >>> 12)) & (slots - 1);
    if (this.#lengths[slot] !== length) return this.#make(bytes, start, end, slot, hash);
    const known = this.#bytes;
    for (let i = start, k = slot * maxLength; i < end; i++, k++) {
      if (bytes[i] !== known[k]) return this.#make(bytes, start, end, slot, hash);
    }
    return this.#strings[slot]!;
  }

  #make(bytes: Uint8Array, start: number, end: number, slot: number, hash: number): string {
    const text = sliceUtf8(bytes, start, end);
    if (this.#hashes[slot] === hash) {
      this.#strings[slot] = propertyKey(text);
      this.#bytes.set(bytes.subarray(start, end), slot * maxLength);
      this.#lengths[slot] = end - start;
    }
    this.#hashes[slot] = hash;
    return text;
  }
}

/** Shared by all decoders, since different objects have the same strings. */
export const commonStrings: StringTable = new StringTable();
