/** As much of DER as a certificate request is made of. Texts are UTF-8. */

/** One element: tag, length, content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const digits = length < 0x80 ? [] : bigEndian(length);
  return Buffer.concat([
    Buffer.of(tag, ...(digits.length > 0 ? [0x80 + digits.length, ...digits] : [length])),
    ...content,
  ]);
}

function bigEndian(value: number): number[] {
  return value < 256 ? [value] : [...bigEndian(Math.floor(value / 256)), value % 256];
}

export const sequence = (...content: readonly Uint8Array[]): Uint8Array => element(0x30, ...content);
export const set = (...content: readonly Uint8Array[]): Uint8Array => element(0x31, ...content);
export const utf8 = (text: string): Uint8Array => element(0x0c, Buffer.from(text));
export const octets = (content: Uint8Array): Uint8Array => element(0x04, content);
export const bits = (content: Uint8Array): Uint8Array => element(0x03, Buffer.of(0), content);

/** `2.5.4.3` */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [40 * first + second, ...rest].flatMap((arc) => {
    const groups = [arc % 128];
    for (let high = arc >>> 7; high > 0; high >>>= 7) groups.unshift(0x80 + (high % 128));
    return groups;
  });
  return element(0x06, Buffer.from(bytes));
}

export interface Element {
  readonly tag: number;
  /** With tag and length. */
  readonly raw: Uint8Array;
  readonly content: Uint8Array;
}

/** The elements that stand one after the other. Throws a RangeError for bytes that are none. */
export function elements(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
    const digits = first < 0x80 ? 0 : first - 0x80;
    if (digits > 4) throw new RangeError('a DER element is too long');
    const start = at + 2 + digits;
    const length = first < 0x80 ? first : bytes.subarray(at + 2, start).reduce((sum, digit) => sum * 256 + digit, 0);
    if (start + length > bytes.length) throw new RangeError('a DER element is cut off');
    found.push({ tag, raw: bytes.subarray(at, start + length), content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
