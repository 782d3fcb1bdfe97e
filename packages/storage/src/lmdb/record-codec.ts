import { crc32 } from 'node:zlib';
import { CorruptLogError, type LogEntry, type LogRecord } from '../mvcc/index.ts';

/**
 * A record on disk: a byte for the format, the checksums of the rest of the record and of the value, three numbers, the
 * key in UTF-8. The revision is the key it is stored under; the value is stored separately, so that a scan of all
 * records reads little. Checksums include the revision: data of another revision does not match.
 */
const format = 2;
const sumAt = 1;
const valueSumAt = 5;

/** The older format without checksums: the numbers follow the first byte. Existing records keep this format. */
const formatWithoutSums = 1;

/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const maxBytesPerUnit = 3;

const numbersSize = 3 * 8;
const numbersAt = 9;
const numbersAtWithoutSums = 1;

/** Encodes all records into one buffer and returns a slice of it for each. */
export function encodeRecords(entries: readonly LogEntry[]): Buffer[] {
  let size = 0;
  for (const { record } of entries) size += numbersAt + numbersSize + record.key.length * maxBytesPerUnit;
  const memory = Buffer.allocUnsafeSlow(size);
  let position = 0;
  return entries.map(({ record, value }) => {
    const start = position;
    const numbers = start + numbersAt;
    memory[start] = format;
    memory.writeUInt32LE(value === undefined ? 0 : sumOf(value, record.revision), start + valueSumAt);
    memory.writeDoubleLE(record.createRevision, numbers);
    memory.writeDoubleLE(record.previousRevision, numbers + 8);
    memory.writeDoubleLE(record.expiresAt, numbers + 16);
    position = numbers + numbersSize;
    position += memory.write(record.key, position);
    memory.writeUInt32LE(sumOf(memory.subarray(start + valueSumAt, position), record.revision), start + sumAt);
    return memory.subarray(start, position);
  });
}

/** Throws a `CorruptLogError` when the bytes are not a valid record. */
export function decodeRecord(revision: number, bytes: Buffer): LogRecord {
  const at = bytes[0] === formatWithoutSums ? numbersAtWithoutSums : numbersAt;
  if (bytes.length <= at + numbersSize || (bytes[0] !== format && bytes[0] !== formatWithoutSums)) {
    throw new CorruptLogError(`revision ${revision} is no record`);
  }
  if (bytes[0] === format && sumOf(bytes.subarray(valueSumAt, bytes.length), revision) !== bytes.readUInt32LE(sumAt)) {
    throw new CorruptLogError(`revision ${revision} is damaged`);
  }
  const record = {
    revision,
    key: bytes.toString('utf8', at + numbersSize),
    createRevision: bytes.readDoubleLE(at),
    previousRevision: bytes.readDoubleLE(at + 8),
    expiresAt: bytes.readDoubleLE(at + 16),
  };
  if (!(record.createRevision <= revision && record.previousRevision < revision && record.expiresAt >= 0)) {
    throw new CorruptLogError(`revision ${revision} has impossible numbers`);
  }
  return record;
}

/** Returns the checksum of a record's value; undefined for a record in the older format. */
export function valueSumOf(record: Buffer): number | undefined {
  return record[0] === format ? record.readUInt32LE(valueSumAt) : undefined;
}

/** Returns the checksum of a value, or of a part of a record. */
export function sumOf(bytes: Uint8Array, revision: number): number {
  return crc32(bytes, revision % 2 ** 32);
}
