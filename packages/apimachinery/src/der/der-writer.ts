import { derTags } from './der-reader.ts';

/** Encodes one element of DER: tag, length, content. */
export function derElement(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const head = [tag, ...lengthBytes(length)];
  const element = new Uint8Array(head.length + length);
  element.set(head);
  let at = head.length;
  for (const part of content) {
    element.set(part, at);
    at += part.length;
  }
  return element;
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return [0x80 | digits.length, ...digits];
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export const derSequence = (...content: readonly Uint8Array[]): Uint8Array => derElement(derTags.sequence, ...content);
export const derSet = (...content: readonly Uint8Array[]): Uint8Array => derElement(derTags.set, ...content);
export const derOctetString = (content: Uint8Array): Uint8Array => derElement(derTags.octetString, content);
export const derUtf8String = (text: string): Uint8Array => derElement(0x0c, utf8(text));
export const derTrue: Uint8Array = derElement(derTags.boolean, Uint8Array.of(0xff));
export const derNull: Uint8Array = derElement(derTags.null);

/** Encodes a bit string of whole bytes; `unusedBits` of the last byte are unused. */
export const derBitString = (content: Uint8Array, unusedBits = 0): Uint8Array =>
  derElement(derTags.bitString, Uint8Array.of(unusedBits), content);

/** Encodes a non-negative, big-endian number. */
export function derInteger(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  return derElement(derTags.integer, ...(digits[0]! >= 0x80 ? [Uint8Array.of(0)] : []), digits);
}

/** Encodes a constructed element with a context-specific tag. */
export const derContext = (number: number, ...content: readonly Uint8Array[]): Uint8Array =>
  derElement(0xa0 | number, ...content);

/** Encodes an object identifier such as `2.5.29.17`. */
export function derOid(dotted: string): Uint8Array {
  const [first, second, ...rest] = dotted.split('.').map(Number);
  return derElement(derTags.oid, Uint8Array.from([40 * first! + second!, ...rest].flatMap(base128)));
}

/** Encodes a number in groups of seven bits. The high bit is set in all bytes but the last. */
function base128(value: number): number[] {
  const digits = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(0x80 | (rest % 128));
  return digits;
}

/** Encodes a time in whole seconds. As X.509 requires, the year has two digits up to 2049 and four digits from 2050. */
export function derTime(time: Date): Uint8Array {
  const digits = time.toISOString().replace(/\.\d+Z$|[-:T]/g, '');
  return time.getUTCFullYear() < 2050
    ? derElement(derTags.utcTime, utf8(`${digits.slice(2)}Z`))
    : derElement(derTags.generalizedTime, utf8(`${digits}Z`));
}
