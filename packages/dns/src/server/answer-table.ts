import type { Reuse } from '../chain/index.ts';
import type { ZoneMetrics } from '../metrics/index.ts';
import { headerLength, type QueryScanner, Type } from '../wire/index.ts';

/**
 * Encoded answers by question. Most queries of a cluster are for the same few names, and their answers change seldom: finding one here and copying it takes less than
 * a microsecond, while asking the plug-ins and encoding takes five to ten.
 *
 * The table has a fixed size. A question has four places where it may be; a new one takes the place of the oldest of them. So a flood of random names costs time, but
 * no memory. Nothing is removed when an answer becomes out of date: each has the epoch of the data that it was made from, and is not used when that has passed.
 */
export class AnswerTable {
  readonly #places: (KeptAnswer | undefined)[] = new Array<KeptAnswer | undefined>(sets * ways);
  /** Which place of a set is taken next. */
  readonly #next = new Uint8Array(sets);

  find(scanner: QueryScanner): KeptAnswer | undefined {
    const first = (scanner.hash % sets) * ways;
    for (let place = first; place < first + ways; place++) {
      const answer = this.#places[place];
      if (answer && answer.hash === scanner.hash && isFor(answer, scanner)) return answer;
    }
    return undefined;
  }

  keep(scanner: QueryScanner, answer: Omit<KeptAnswer, 'hash' | 'keyLength'>): void {
    const { hash, key, keyLength } = scanner;
    const set = hash % sets;
    const first = set * ways;
    let place = first;
    while (place < first + ways && this.#places[place]?.hash !== hash) place++;
    if (place === first + ways) {
      const way = this.#next[set] ?? 0;
      this.#next[set] = (way + 1) % ways;
      place = first + way;
    }
    // The question is a part of the message, so it need not be kept a second time; the flags take the place of the id.
    answer.bytes.set(key.subarray(0, keyLength - 1), headerLength);
    answer.bytes[0] = key[keyLength - 1] ?? 0;
    this.#places[place] = { ...answer, hash, keyLength };
  }

  /** For a new configuration. */
  clear(): void {
    this.#places.fill(undefined);
  }
}

/** Up to 16384 answers. */
const sets = 4096;
const ways = 4;

export interface KeptAnswer {
  readonly hash: number;
  readonly keyLength: number;
  /** The message without OPT record, with the question in lower case. In place of the id it has the last byte of the key. */
  readonly bytes: Buffer;
  readonly reuse: Reuse;
  /** Positions of the TTLs that count down. */
  readonly ttlOffsets: readonly number[];
  /** Where the addresses are that change places. */
  readonly rotation: Rotation | undefined;
  readonly rcode: number;
  readonly plugin: string;
  readonly metrics: ZoneMetrics | undefined;
}

interface Rotation {
  readonly start: number;
  readonly size: number;
  readonly count: number;
}

function isFor({ keyLength, bytes }: KeptAnswer, { key, keyLength: length }: QueryScanner): boolean {
  if (keyLength !== length || bytes[0] !== key[length - 1]) return false;
  for (let at = 0; at < length - 1; at++) if (bytes[headerLength + at] !== key[at]) return false;
  return true;
}

/** Finds the TTLs in an encoded message, except in an OPT record. */
export function ttlOffsets(bytes: Buffer): number[] {
  const offsets: number[] = [];
  let at = skipName(bytes, headerLength) + 4;
  const count = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10);
  for (let left = count; left > 0; left--) {
    at = skipName(bytes, at);
    if (bytes.readUInt16BE(at) !== Type.OPT) offsets.push(at + 4);
    at += 10 + bytes.readUInt16BE(at + 8);
  }
  return offsets;
}

/** Finds the answers of a message that has only addresses of one type, all with a compressed owner, so that they are equally long. */
export function rotationOf(bytes: Buffer): Rotation | undefined {
  const count = bytes.readUInt16BE(6);
  const start = skipName(bytes, headerLength) + 4;
  if (count < 2) return undefined;
  const type = bytes.readUInt16BE(start + 2);
  if (type !== Type.A && type !== Type.AAAA) return undefined;
  const size = type === Type.A ? 16 : 28;
  for (let at = start; at < start + count * size; at += size) {
    if ((bytes[at] ?? 0) < 0xc0 || bytes.readUInt16BE(at + 2) !== type) return undefined;
  }
  return { start, size, count };
}

/** Of a message that was encoded here, so it is well-formed. */
function skipName(bytes: Buffer, start: number): number {
  let at = start;
  for (let size = bytes[at] ?? 0; size !== 0; size = bytes[at] ?? 0) {
    if (size >= 0xc0) return at + 2;
    at += size + 1;
  }
  return at + 1;
}

const optLength = 11;

/** Returns a copy for a query: with its id, flags, and name as it wrote it. `ageSeconds` is taken from the TTLs, `turn` addresses go to the end. */
export function answerFor(
  answer: KeptAnswer,
  query: Uint8Array,
  scanner: QueryScanner,
  ageSeconds: number,
  turn: number,
): Buffer {
  const { bytes, rotation, ttlOffsets: ttls } = answer;
  const { length } = bytes;
  const copy = Buffer.allocUnsafe(scanner.hasEdns ? length + optLength : length);
  bytes.copy(copy);
  copy[0] = query[0]!;
  copy[1] = query[1]!;
  // RD and CD are the client's.
  copy[2]! |= query[2]! & 0x01;
  copy[3]! |= query[3]! & 0x10;
  for (let at = headerLength; at < scanner.questionEnd; at++) copy[at] = query[at]!;
  if (rotation && turn > 0) {
    const { start, size, count } = rotation;
    const split = start + turn * size;
    const end = start + count * size;
    bytes.copy(copy, start, split, end);
    bytes.copy(copy, start + end - split, start, split);
  }
  if (ageSeconds > 0) for (const at of ttls) copy.writeUInt32BE(Math.max(0, bytes.readUInt32BE(at) - ageSeconds), at);
  if (scanner.hasEdns) {
    copy[11]! += 1;
    writeOpt(copy, length, scanner);
  }
  return copy;
}

/** An OPT record with the client's buffer size, and its flags without the reserved ones below, as CoreDNS answers. */
function writeOpt(bytes: Buffer, at: number, { udpSize, ednsFlags }: QueryScanner): void {
  bytes.fill(0, at, at + optLength);
  bytes[at + 2] = Type.OPT;
  bytes[at + 3] = udpSize >> 8;
  bytes[at + 4] = udpSize & 0xff;
  bytes[at + 7] = ednsFlags >> 8;
}
