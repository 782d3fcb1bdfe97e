import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptLogError, type LogRecord } from '../mvcc/index.ts';
import { decodeRecord, encodeRecords, sumOf, valueSumOf } from './record-codec.ts';

const revision = fc.maxSafeNat();
const anyRecord: fc.Arbitrary<LogRecord> = fc
  .tuple(revision, revision, revision, fc.string({ unit: 'binary', minLength: 1 }), fc.maxSafeNat())
  .map(([a, b, c, key, expiresAt]) => {
    const [previousRevision, createRevision, newest] = [a, b, c].sort((x, y) => x - y) as [number, number, number];
    return { revision: newest + 1, key, createRevision, previousRevision, expiresAt };
  });

const record: LogRecord = { revision: 9, key: 'key', createRevision: 5, previousRevision: 8, expiresAt: 0 };
const encode = (record: LogRecord, value?: Uint8Array): Buffer => encodeRecords([{ record, value }])[0]!;

/** Encodes a record in the older format without checksums. */
function oldRecord({ createRevision, previousRevision, expiresAt, key }: LogRecord): Buffer {
  const bytes = Buffer.alloc(25 + key.length);
  bytes[0] = 1;
  for (const [index, number] of [createRevision, previousRevision, expiresAt].entries()) {
    bytes.writeDoubleLE(number, 1 + 8 * index);
  }
  bytes.write(key, 25);
  return bytes;
}

describe('records on disk', () => {
  it('are decoded to the same records, however many are encoded together', () => {
    fc.assert(
      fc.property(fc.array(anyRecord), (records) => {
        const encoded = encodeRecords(records.map((record) => ({ record, value: undefined })));
        expect(encoded.map((bytes, index) => decodeRecord(records[index]?.revision ?? 0, bytes))).toEqual(records);
      }),
    );
  });

  it('have the checksum of their value, which differs for every revision', () => {
    const value = Buffer.from('a value');
    expect(valueSumOf(encode(record, value))).toBe(sumOf(value, 9));
    expect(sumOf(value, 9)).not.toBe(sumOf(value, 10));
  });

  it('are refused when one of their bits is wrong, or when they belong to another revision', () => {
    const bytes = encode(record, Buffer.from('a value'));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => decodeRecord(9, damaged), `bit ${bit}`).toThrow(CorruptLogError);
    }
    expect(() => decodeRecord(10, bytes)).toThrow('revision 10 is damaged');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a record without its key', encode(record).subarray(0, 33)],
    ['another format', Buffer.concat([Buffer.of(3), encode(record).subarray(1)])],
  ])('are refused when they are %s', (_, bytes) => {
    expect(() => decodeRecord(9, bytes)).toThrow('revision 9 is no record');
  });
});

describe('records in the older format without checksums', () => {
  it('are read', () => {
    const bytes = oldRecord(record);
    expect(decodeRecord(9, bytes)).toEqual(record);
    expect(valueSumOf(bytes)).toBeUndefined();
  });

  it.each([
    ['without a key', oldRecord({ ...record, key: '' }), 'revision 9 is no record'],
    ['with a key that was created later', oldRecord({ ...record, createRevision: 10 }), 'impossible numbers'],
    ['with a change that follows itself', oldRecord({ ...record, previousRevision: 9 }), 'impossible numbers'],
    ['with a number that is NaN', oldRecord({ ...record, expiresAt: Number.NaN }), 'impossible numbers'],
  ])('are refused %s', (_, bytes, problem) => {
    expect(() => decodeRecord(9, bytes)).toThrow(problem);
  });
});
