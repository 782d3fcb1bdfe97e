import { CorruptLogError, type LogEntry, type LogRecord } from '../mvcc/index.ts';

/**
 * A record on disk: a byte that says the format, three numbers, the key in UTF-8. Its revision is what it is stored
 * under, its value is stored apart. So whoever looks through all records reads little.
 */
const format = 1;
const numbersAt = 1;
const keyAt = numbersAt + 3 * 8;

/** A code unit is at most three bytes of UTF-8. */
const maxBytesPerUnit = 3;

/** Encodes all of them into one piece of memory; each is a part of it. */
export function encodeRecords(entries: readonly LogEntry[]): Buffer[] {
  let size = 0;
  for (const { record } of entries) size += keyAt + record.key.length * maxBytesPerUnit;
  const memory = Buffer.allocUnsafeSlow(size);
  let position = 0;
  return entries.map(({ record }) => {
    const start = position;
    memory[start] = format;
    memory.writeDoubleLE(record.createRevision, start + numbersAt);
    memory.writeDoubleLE(record.previousRevision, start + numbersAt + 8);
    memory.writeDoubleLE(record.expiresAt, start + numbersAt + 16);
    position = start + keyAt + memory.write(record.key, start + keyAt);
    return memory.subarray(start, position);
  });
}

/** Throws a `CorruptLogError` for what cannot be a record. */
export function decodeRecord(revision: number, bytes: Buffer): LogRecord {
  if (bytes.length <= keyAt || bytes[0] !== format) throw new CorruptLogError(`revision ${revision} is no record`);
  const record = {
    revision,
    key: bytes.toString('utf8', keyAt),
    createRevision: bytes.readDoubleLE(numbersAt),
    previousRevision: bytes.readDoubleLE(numbersAt + 8),
    expiresAt: bytes.readDoubleLE(numbersAt + 16),
  };
  if (!(record.createRevision <= revision && record.previousRevision < revision && record.expiresAt >= 0)) {
    throw new CorruptLogError(`revision ${revision} has impossible numbers`);
  }
  return record;
}
