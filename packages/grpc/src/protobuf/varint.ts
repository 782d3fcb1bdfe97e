/** A position in a buffer, and the end of the part to read. */
export interface Cursor {
  readonly buffer: Buffer;
  at: number;
  end: number;
}

/** Returns the error for malformed input. */
export function malformed(reason: string): Error {
  return new Error(`malformed protobuf message: ${reason}`);
}

function nextByte(from: Cursor): number {
  if (from.at >= from.end) throw malformed('it ends too early');
  return from.buffer[from.at++]!;
}

/** Returns the encoded size of a non-negative number. */
export function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

export function writeVarint(to: Cursor, value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    to.buffer[to.at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  to.buffer[to.at++] = rest;
}

/** Reads a number. Throws when a number cannot represent it exactly. */
export function readVarint(from: Cursor): number {
  const start = from.at;
  let value = 0;
  let factor = 1;
  // Seven bytes have 49 bits, which are exact. Longer numbers are rare, and are read again as a bigint.
  for (let count = 0; count < 7; count++) {
    const byte = nextByte(from);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
    factor *= 0x80;
  }
  from.at = start;
  const exact = Number(readBigVarint(from));
  if (!Number.isSafeInteger(exact)) throw malformed(`${exact} is too large`);
  return exact;
}

/** Reads a signed 64-bit integer. */
export function readBigVarint(from: Cursor): bigint {
  // In numbers of 32 bits: bigints are allocated, and lists of containers have many.
  let [low, high] = [0, 0];
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = nextByte(from);
    const bits = byte & 0x7f;
    if (shift < 32) low |= bits << shift;
    // The fifth byte has bits of both halves.
    if (shift === 28) high |= bits >> 4;
    else if (shift > 28 && shift < 64) high |= bits << (shift - 32);
    if (byte < 0x80) return high === 0 ? BigInt(low >>> 0) : (BigInt(high) << 32n) | BigInt(low >>> 0);
  }
  throw malformed('a number does not end');
}

/** Reads a number of one byte, as most booleans and enumerations are. Returns undefined, and reads nothing, if it is longer. */
export function readSmallNumber(from: Cursor): number | undefined {
  const byte = from.at < from.end ? from.buffer[from.at]! : 0x80;
  if (byte >= 0x80) return undefined;
  from.at++;
  return byte;
}

export function sizeOfBigVarint(value: bigint): number {
  let size = 1;
  for (let rest = BigInt.asUintN(64, value); rest >= 0x80n; rest >>= 7n) size++;
  return size;
}

export function writeBigVarint(to: Cursor, value: bigint): void {
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) to.buffer[to.at++] = Number(rest & 0x7fn) | 0x80;
  to.buffer[to.at++] = Number(rest);
}

/** Reads a length. Throws when fewer bytes remain. */
export function readLength(from: Cursor): number {
  const length = readVarint(from);
  if (length < 0 || length > from.end - from.at) throw malformed('it ends too early');
  return length;
}

/** Skips a value of an unknown field. */
export function skipValue(from: Cursor, wireType: number): void {
  switch (wireType) {
    case 0:
      while (nextByte(from) >= 0x80);
      return;
    case 2: {
      const length = readLength(from);
      from.at += length;
      return;
    }
    case 1:
    case 5:
      from.at += wireType === 1 ? 8 : 4;
      if (from.at > from.end) throw malformed('it ends too early');
      return;
    default:
      throw malformed(`wire type ${wireType}`);
  }
}
