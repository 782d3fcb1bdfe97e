import { labelsOf } from './domain-name.ts';
import { WireError } from './wire-error.ts';

/** The longest name in wire format, with its length bytes (RFC 1035, section 3.1). */
const maxNameLength = 255;
const maxLabelLength = 63;
/** Pointers have 14 bits. */
const maxPointer = 0x3fff;

/** A position in a message that moves as parts are read. */
export interface Cursor {
  offset: number;
}

/**
 * Reads a name. A compression pointer must point to before the name in which it is, so reading always ends. Throws a WireError.
 */
export function readName(bytes: Buffer, cursor: Cursor): string {
  let { offset } = cursor;
  let text = '';
  let length = 1;
  /** Where the rest of the name begins. A pointer must point to before it. */
  let start = offset;
  let hasJumped = false;
  for (;;) {
    const size = bytes[offset];
    if (size === undefined) throw new WireError('a name is cut off');
    if (size === 0) {
      if (!hasJumped) cursor.offset = offset + 1;
      return text === '' ? '.' : text;
    }
    if ((size & 0xc0) === 0xc0) {
      const low = bytes[offset + 1];
      if (low === undefined) throw new WireError('a compression pointer is cut off');
      const target = ((size & 0x3f) << 8) | low;
      if (target >= start) throw new WireError('a compression pointer does not point backwards');
      if (!hasJumped) cursor.offset = offset + 2;
      hasJumped = true;
      start = target;
      offset = target;
      continue;
    }
    if (size > maxLabelLength) throw new WireError('a label has an unknown type');
    const end = offset + 1 + size;
    if (end > bytes.length) throw new WireError('a label is cut off');
    length += size + 1;
    if (length > maxNameLength) throw new WireError('a name is longer than 255 bytes');
    text += `${readLabel(bytes, offset + 1, end)}.`;
    offset = end;
  }
}

function readLabel(bytes: Buffer, start: number, end: number): string {
  for (let at = start; at < end; at++) {
    if (mustBeEscaped(bytes[at] ?? 0)) return escapedLabel(bytes, start, end);
  }
  return bytes.toString('latin1', start, end);
}

/** What a zone file treats specially, and what is not printable. */
const specialBytes = new Set(Buffer.from(' ".;()@$\\\''));

const mustBeEscaped = (byte: number): boolean => byte <= 0x20 || byte >= 0x7f || specialBytes.has(byte);

function escapedLabel(bytes: Buffer, start: number, end: number): string {
  let text = '';
  for (const byte of bytes.subarray(start, end)) {
    if (byte < 0x20 || byte >= 0x7f) text += `\\${String(byte).padStart(3, '0')}`;
    else text += `${specialBytes.has(byte) ? '\\' : ''}${String.fromCharCode(byte)}`;
  }
  return text;
}

/** Encodes a name without compression. Throws a WireError for one that is too long, or has an empty label. */
export function encodeName(name: string): Buffer {
  const parts: Buffer[] = [];
  for (const label of labelsOf(name)) {
    const bytes = labelBytes(label);
    parts.push(Buffer.from([bytes.length]), bytes);
  }
  parts.push(Buffer.from([0]));
  const encoded = Buffer.concat(parts);
  if (encoded.length > maxNameLength) throw new WireError(`the name ${JSON.stringify(name)} is longer than 255 bytes`);
  return encoded;
}

function labelBytes(label: string): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < label.length; at++) {
    let code = label.charCodeAt(at);
    if (label[at] === '\\') {
      const digits = label.slice(at + 1, at + 4);
      const isNumber = /^\d{3}$/.test(digits);
      code = isNumber ? Number(digits) : label.charCodeAt(at + 1);
      at += isNumber ? 3 : 1;
    }
    if (!(code <= 255)) throw new WireError(`the label ${JSON.stringify(label)} contains a character that is no byte`);
    bytes.push(code);
  }
  if (bytes.length === 0) throw new WireError('a label is empty');
  if (bytes.length > maxLabelLength)
    throw new WireError(`the label ${JSON.stringify(label)} is longer than ${maxLabelLength} bytes`);
  return Buffer.from(bytes);
}

/** Whether the text can be encoded as a name. */
export function isDomainName(name: string): boolean {
  try {
    encodeName(name);
    return true;
  } catch {
    return false;
  }
}

/** The positions of names in a message that is being written, by the text of the name in lower case. */
export class Compression {
  readonly #offsets = new Map<string, number>();

  find(name: string): number | undefined {
    return this.#offsets.get(name);
  }

  /** Remembers the name and all names that it ends with. */
  remember(name: string, offset: number): void {
    if (offset <= maxPointer && !this.#offsets.has(name)) this.#offsets.set(name, offset);
  }

  /** Forgets names that begin at or behind `offset`: that part of the message was taken back. */
  forgetFrom(offset: number): void {
    for (const [name, at] of this.#offsets) if (at >= offset) this.#offsets.delete(name);
  }
}
