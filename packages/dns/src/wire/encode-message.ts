import { headerLength } from './decode-message.ts';
import { labelsOf } from './domain-name.ts';
import type { Edns, Message, ResourceRecord } from './message.ts';
import { Compression, encodeName } from './name-codec.ts';
import { Flag, Type } from './numbers.ts';
import { mayCompress } from './rdata.ts';

export const maxMessageLength = 65_535;
/** What a client without EDNS can receive over UDP. */
export const minUdpSize = 512;

/**
 * Encodes a message with compressed names. Records that do not fit are left out from the end, and the TC flag is set. The OPT record always stays. Throws a
 * WireError when a name is invalid.
 */
export function encodeMessage(message: Message, maxLength = maxMessageLength): Buffer {
  const { id, flags, questions, answers, authorities, additionals, edns } = message;
  const writer = new MessageWriter(maxLength - (edns ? optLength(edns) : 0));
  for (const { name, type, class: value } of questions) writer.question(name, type, value);
  const counts: number[] = [];
  let isCut = false;
  for (const section of [answers, authorities, additionals]) {
    let written = 0;
    while (!isCut && written < section.length) {
      const record = section[written];
      if (record === undefined || !writer.record(record)) isCut = true;
      else written++;
    }
    counts.push(written);
  }
  const [answerCount = 0, authorityCount = 0, additionalCount = 0] = counts;
  if (edns) writer.opt(edns);
  return writer.finish({
    id,
    flags: isCut ? flags | Flag.TC : flags,
    counts: [questions.length, answerCount, authorityCount, additionalCount + (edns ? 1 : 0)],
  });
}

/** Names whose text is not longer than this are never too long. */
const longestText = 254;

const optLength = ({ options }: Edns): number => 11 + options.length;

/** Grows as needed, up to the limit of a message. */
class MessageWriter {
  #bytes = Buffer.allocUnsafe(512);
  #length = headerLength;
  readonly #maxLength: number;
  readonly #compression = new Compression();

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  question(name: string, type: number, value: number): void {
    this.#name(name, true);
    this.#uint16(type);
    this.#uint16(value);
  }

  /** Returns false when the record does not fit. The message is then as before. */
  record({ name, type, class: value, ttl, rdata }: ResourceRecord): boolean {
    const start = this.#length;
    this.#name(name, true);
    this.#uint16(type);
    this.#uint16(value);
    this.#uint16(Math.floor(ttl / 0x10000));
    this.#uint16(ttl & 0xffff);
    const lengthAt = this.#length;
    this.#uint16(0);
    for (const part of rdata) {
      if (typeof part === 'string') this.#name(part, mayCompress(type));
      else this.#append(part);
    }
    if (this.#length > this.#maxLength) {
      this.#length = start;
      this.#compression.forgetFrom(start);
      return false;
    }
    this.#bytes.writeUInt16BE(this.#length - lengthAt - 2, lengthAt);
    return true;
  }

  opt({ udpSize, extendedRcode, version, flags, options }: Edns): void {
    this.#append(Buffer.from([0]));
    this.#uint16(Type.OPT);
    this.#uint16(udpSize);
    this.#uint16((extendedRcode << 8) | version);
    this.#uint16(flags);
    this.#uint16(options.length);
    this.#append(options);
  }

  /** Writes the header. The result is exactly as long as the message, so that it can be kept. */
  finish({ id, flags, counts }: { id: number; flags: number; counts: readonly number[] }): Buffer {
    this.#bytes.writeUInt16BE(id, 0);
    this.#bytes.writeUInt16BE(flags, 2);
    for (const [index, count] of counts.entries()) this.#bytes.writeUInt16BE(count, 4 + 2 * index);
    return this.#bytes.subarray(0, this.#length);
  }

  #name(name: string, canPoint: boolean): void {
    // Checks the length. A text is never shorter than the bytes without the zero at the end.
    if (name.length > longestText) encodeName(name);
    const labels = labelsOf(name);
    let rest = name.toLowerCase();
    for (const label of labels) {
      const known = this.#compression.find(rest);
      if (known !== undefined && canPoint) {
        this.#uint16(0xc000 | known);
        return;
      }
      this.#compression.remember(rest, this.#length);
      // Without the zero byte of the root.
      const bytes = encodeName(label);
      this.#append(bytes.subarray(0, -1));
      rest = rest.slice(label.length + 1);
    }
    this.#append(Buffer.from([0]));
  }

  #uint16(value: number): void {
    this.#reserve(2);
    this.#length = this.#bytes.writeUInt16BE(value, this.#length);
  }

  #append(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.#bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
