import { propertyKey } from '../../schema/property-key.ts';
import { decodeUtf8 } from '../utf8.ts';

/** A power of two. With the bytes of the strings, a table takes some 300 kB. */
const slots = 4096;
/** Longer strings are not remembered. */
const maxLength = 64;

/** Part of some ASCII bytes as a string. */
type AsciiSlice = (bytes: Uint8Array, start: number, end: number) => string;

/** Where it exists, several times faster than TextDecoder for the short strings that objects hold. */
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
 * Turns bytes into strings, and remembers short ones that it has met before, as most of those in objects are: names of
 * labels, enumerated values, paths. Finding one is cheaper than making it again, and one copy serves all objects. What is
 * remembered is bounded: a string gives way to another that falls on the same slot.
 */
export class StringTable {
  readonly #strings: string[] = new Array<string>(slots).fill('');
  /** The bytes of the string on each slot, `maxLength` for each, and how many they are. */
  readonly #bytes = new Uint8Array(slots * maxLength);
  readonly #lengths = new Uint8Array(slots);
  /** The hash of what was last met on each slot. A string is kept only when it comes again, so that unique ones are not. */
  readonly #hashes = new Int32Array(slots);

  /** The string in UTF-8 from `start` to `end`. Broken characters are replaced. */
  get(bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    if (length > maxLength) return sliceUtf8(bytes, start, end);
    // A few bytes of a long string tell it from others as well as all of them.
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

/** Shared: what one object holds, others hold too. */
export const commonStrings: StringTable = new StringTable();
