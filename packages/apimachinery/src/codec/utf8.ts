// Part of every runtime this package is for, but of no library that the compiler is told of.
declare const TextDecoder: new (
  label?: string,
  options?: { fatal?: boolean; ignoreBOM?: boolean },
) => { decode(input: Uint8Array): string };
declare const TextEncoder: new () => {
  encode(input: string): Uint8Array;
  encodeInto(input: string, target: Uint8Array): { read: number; written: number };
};

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** UTF-8 bytes as a string. Every byte that belongs to no character becomes U+FFFD, as in Go. A byte order mark stays. */
export const decodeUtf8 = (bytes: Uint8Array): string => tryDecodeUtf8(bytes) ?? decodeByteWise(bytes);

/** The same; undefined when a byte belongs to no character. */
export function tryDecodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Writes as much of the text as fits; the number of bytes written. */
export const encodeUtf8Into = (text: string, target: Uint8Array): number => encoder.encodeInto(text, target).written;

/** The standard decoder takes the beginning of a broken character for one mistake, Go takes each of its bytes for one. */
function decodeByteWise(bytes: Uint8Array): string {
  const clean = new Uint8Array(bytes.length * replacement.length);
  let length = 0;
  for (let i = 0; i < bytes.length; ) {
    const count = characterLength(bytes, i);
    if (count === 0) {
      i++;
      for (const byte of replacement) clean[length++] = byte;
    }
    for (let k = 0; k < count; k++) clean[length++] = bytes[i++]!;
  }
  return strict.decode(clean.subarray(0, length));
}

/** U+FFFD. */
const replacement = [0xef, 0xbf, 0xbd];

/** How many bytes the character at `i` takes; 0 when it is none. */
function characterLength(bytes: Uint8Array, i: number): number {
  const first = bytes[i]!;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length === 0 || i + length > bytes.length) return 0;
  const second = bytes[i + 1]!;
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let k = 2; k < length; k++) if ((bytes[i + k]! & 0xc0) !== 0x80) return 0;
  return length;
}
