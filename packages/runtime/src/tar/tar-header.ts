import { ArchiveError } from './archive-error.ts';

export const blockSize = 512;

/** The fields of a header block, before extended headers are applied. Names have a character for each byte. */
export interface TarHeader {
  readonly typeFlag: string;
  readonly name: string;
  readonly linkName: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeSeconds: number;
  readonly deviceMajor: number;
  readonly deviceMinor: number;
}

/** Returns undefined for a block of zeros, which ends an archive. Throws `ArchiveError` if the checksum is wrong. */
export function parseHeader(block: Buffer): TarHeader | undefined {
  const sums = sumsOf(block);
  if (sums.unsigned === zeroSum && block.every((byte) => byte === 0)) return undefined;
  const expected = numberAt(block, 148, 8);
  // Some old programs added bytes as signed numbers.
  if (expected !== sums.unsigned && expected !== sums.signed) throw new ArchiveError('invalid tar header');
  const magic = block.toString('latin1', 257, 263);
  const isPosix = magic === 'ustar\0';
  const isGnu = magic === 'ustar ';
  const prefix = isPosix ? textAt(block, 345, 155) : '';
  const name = textAt(block, 0, 100);
  return {
    typeFlag: String.fromCharCode(block[156] ?? 0),
    name: prefix === '' ? name : `${prefix}/${name}`,
    linkName: textAt(block, 157, 100),
    mode: numberAt(block, 100, 8),
    uid: numberAt(block, 108, 8),
    gid: numberAt(block, 116, 8),
    size: numberAt(block, 124, 12),
    mtimeSeconds: numberAt(block, 136, 12),
    deviceMajor: isPosix || isGnu ? numberAt(block, 329, 8) : 0,
    deviceMinor: isPosix || isGnu ? numberAt(block, 337, 8) : 0,
  };
}

/** The sum of a block of zeros, whose checksum field counts as eight spaces. */
const zeroSum = 8 * 32;

function sumsOf(block: Buffer): { readonly unsigned: number; readonly signed: number } {
  let unsigned = zeroSum;
  let high = 0;
  for (let i = 0; i < blockSize; i++) {
    if (i === 148) i = 156;
    const byte = block[i]!;
    unsigned += byte;
    if (byte > 127) high++;
  }
  return { unsigned, signed: unsigned - 256 * high };
}

function textAt(block: Buffer, start: number, length: number): string {
  const end = block.indexOf(0, start);
  return block.toString('latin1', start, end < 0 || end > start + length ? start + length : end);
}

/** A number as octal digits, or in binary if the first bit is set, as GNU's tar writes large and negative ones. */
function numberAt(block: Buffer, start: number, length: number): number {
  const first = block[start]!;
  if (first & 0x80) return binaryAt(block, start, length);
  const text = textAt(block, start, length).trim();
  if (text === '') return 0;
  if (!/^[0-7]+$/.test(text)) throw new ArchiveError('invalid tar header');
  return Number.parseInt(text, 8);
}

function binaryAt(block: Buffer, start: number, length: number): number {
  const bytes = block.subarray(start, start + length);
  const isNegative = (bytes[0]! & 0x40) !== 0;
  let value = BigInt(isNegative ? bytes[0]! | 0x80 : bytes[0]! & 0x3f);
  for (const byte of bytes.subarray(1)) value = (value << 8n) | BigInt(byte);
  const number = Number(isNegative ? BigInt.asIntN(8 * length, value) : value);
  if (!Number.isSafeInteger(number)) throw new ArchiveError('invalid tar header: a number is too large');
  return number;
}
