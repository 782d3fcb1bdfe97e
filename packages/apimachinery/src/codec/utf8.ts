// Global in every supported runtime, but in none of the libraries that this package compiles with.
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

/** Decodes UTF-8. Every invalid byte becomes U+FFFD, as in Go. A byte order mark is kept. */
export const decodeUtf8 = (bytes: Uint8Array): string => tryDecodeUtf8(bytes) ?? decodeByteWise(bytes);

/** Like `decodeUtf8`, but returns undefined when a byte is invalid. */
export function tryDecodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Writes as much of the text as fits. Returns the number of bytes written. */
export const encodeUtf8Into = (text: string, target: Uint8Array): number => encoder.encodeInto(text, target).written;

/** Decodes invalid UTF-8. TextDecoder replaces the incomplete start of a character once; Go replaces each of its bytes. */
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

/** Returns the length in bytes of the character at `i`; 0 when it is invalid. */
function characterLength(bytes: Uint8Array, i: number): number {
  const first = bytes[i]!;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length === 0 || i + length > bytes.length) return 0;
  const second = bytes[i + 1]!;
  // Excludes overlong forms, surrogates and code points beyond U+10FFFF.
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let k = 2; k < length; k++) if ((bytes[i + k]! & 0xc0) !== 0x80) return 0;
  return length;
}
