import { propertyKey } from '../../schema/property-key.ts';
import { decodeUtf8 } from '../utf8.ts';

/** A power of two. */
const slots = 4096;
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

/**
 * Turns bytes into strings, and remembers short ones that it has met before, as most of those in objects are: names of
 * labels, enumerated values, paths. Finding one is cheaper than making it again. What is remembered is bounded: a string
 * gives way to another that falls on the same slot.
 */
export class StringTable {
  readonly #strings: string[] = new Array<string>(slots).fill('');
  /** The hash of what was last met on each slot. A string is kept only when it comes again, so that unique ones are not. */
  readonly #hashes = new Int32Array(slots);

  /** The string in UTF-8 from `start` to `end`. Broken characters are replaced. */
  get(bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    let bits = 0;
    if (length > maxLength) {
      for (let i = start; i < end; i++) bits |= bytes[i]!;
      return bits < 0x80 ? sliceAscii(bytes, start, end) : decodeUtf8(bytes.subarray(start, end));
    }
    let hash = length;
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      bits |= byte;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (bits >= 0x80) return decodeUtf8(bytes.subarray(start, end));
    const slot = (hash ^ (hash >>> 12)) & (slots - 1);
    const known = this.#strings[slot]!;
    if (known.length === length && isStringAt(known, bytes, start)) return known;
    const text = sliceAscii(bytes, start, end);
    if (this.#hashes[slot] === hash) this.#strings[slot] = propertyKey(text);
    else this.#hashes[slot] = hash;
    return text;
  }
}

/** Whether a string is the ASCII at `start`. */
export function isStringAt(text: string, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** Shared: what one object holds, others hold too. */
export const commonStrings: StringTable = new StringTable();
