import { DecodeError } from './decode-error.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The six bits of each character by its code, or 255. */
const bits = new Uint8Array(256).fill(255);
for (let i = 0; i < alphabet.length; i++) bits[alphabet.charCodeAt(i)] = i;

const bitsAt = (text: string, index: number): number => {
  const code = text.charCodeAt(index);
  return code < 256 ? bits[code]! : 255;
};

const codes = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
const padding = '='.charCodeAt(0);
/** The number of characters converted to a string at once; more might exceed the stack. */
const chunkLength = 8192;

/** Encodes standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  const characters = new Uint8Array(Math.ceil((end - start) / 3) * 4).fill(padding);
  for (let i = start, at = 0; i < end; i += 3, at += 4) {
    const group = (bytes[i]! << 16) | (i + 1 < end ? bytes[i + 1]! << 8 : 0) | (i + 2 < end ? bytes[i + 2]! : 0);
    characters[at] = codes[group >> 18]!;
    characters[at + 1] = codes[(group >> 12) & 63]!;
    if (i + 1 < end) characters[at + 2] = codes[(group >> 6) & 63]!;
    if (i + 2 < end) characters[at + 3] = codes[group & 63]!;
  }
  let text = '';
  for (let i = 0; i < characters.length; i += chunkLength) {
    text += String.fromCharCode(...characters.subarray(i, i + chunkLength));
  }
  return text;
}

/** Returns the number of bytes that a canonical base64 text encodes. */
export function base64ByteLength(text: string): number {
  return (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
}

/** Decodes a canonical base64 text into `target`, which has base64ByteLength bytes from `offset`. */
export function decodeBase64Into(text: string, target: Uint8Array, offset: number): void {
  const end = offset + base64ByteLength(text);
  let at = offset;
  for (let i = 0; i < text.length; i += 4) {
    // The 255 of padding only affects bytes beyond the end.
    const group =
      (bitsAt(text, i) << 18) |
      (bitsAt(text, i + 1) << 12) |
      ((bitsAt(text, i + 2) & 63) << 6) |
      (bitsAt(text, i + 3) & 63);
    target[at++] = group >> 16;
    if (at < end) target[at++] = group >> 8;
    if (at < end) target[at++] = group;
  }
}

/** Decodes a base64 text. Throws DecodeError with Go's message when it is not base64. */
export function decodeBase64(text: string): Uint8Array {
  const canonical = canonicalBase64(text);
  const bytes = new Uint8Array(base64ByteLength(canonical));
  decodeBase64Into(canonical, bytes, 0);
  return bytes;
}

const canonicalEnd = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

/**
 * Returns the text as Go would encode it again: without line breaks, and with the bits that padding leaves over at zero. Returns the same
 * string when it is canonical already. Throws DecodeError with Go's message when it is not base64.
 */
export function canonicalBase64(text: string): string {
  // Regular expressions on long texts are slow in some engines, so only the end is matched.
  if (text.length % 4 === 0 && isAlphabetic(text, text.length - 4) && canonicalEnd.test(text.slice(-4))) return text;
  const clean = text.replace(/[\r\n]+/g, '');
  const padded = clean.indexOf('=');
  const length = padded === -1 ? clean.length : padded;
  for (let i = 0; i < length; i++) if (bitsAt(clean, i) === 255) throw corrupt(positionIn(text, i));
  const rest = length % 4;
  if (padded === -1) {
    if (rest !== 0) throw corrupt(text.length - rest);
    return clean;
  }
  const missing = 4 - rest;
  if (rest < 2) throw corrupt(positionIn(text, padded));
  if (missing === 2 && clean[padded + 1] !== '=') throw corrupt(positionIn(text, padded + 1) - 1);
  if (clean.length > padded + missing) throw corrupt(positionIn(text, padded + missing));
  const last = bitsAt(clean, length - 1) & (missing === 2 ? 0b110000 : 0b111100);
  return clean.slice(0, length - 1) + alphabet[last] + '='.repeat(missing);
}

/**
 * Returns the index of the character that has `others` characters before it, not counting line breaks; one after the end if there is
 * none.
 */
function positionIn(text: string, others: number): number {
  let rest = others;
  for (let i = 0; i < text.length; i++) if (text[i] !== '\n' && text[i] !== '\r' && rest-- === 0) return i;
  return text.length + 1;
}

function isAlphabetic(text: string, end: number): boolean {
  for (let i = 0; i < end; i++) if (bitsAt(text, i) === 255) return false;
  return true;
}

const corrupt = (index: number): DecodeError => new DecodeError(`illegal base64 data at input byte ${index}`);
