import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptLogError, type LogRecord } from '../mvcc/index.ts';
import { decodeRecord, encodeRecords } from './record-codec.ts';

const revision = fc.maxSafeNat();
const anyRecord: fc.Arbitrary<LogRecord> = fc
  .tuple(revision, revision, revision, fc.string({ unit: 'binary', minLength: 1 }), fc.maxSafeNat())
  .map(([a, b, c, key, expiresAt]) => {
    const [previousRevision, createRevision, newest] = [a, b, c].sort((x, y) => x - y) as [number, number, number];
    return { revision: newest + 1, key, createRevision, previousRevision, expiresAt };
  });

describe('records on disk', () => {
  it('come back as they were, however many are encoded together', () => {
    fc.assert(
      fc.property(fc.array(anyRecord), (records) => {
        const encoded = encodeRecords(records.map((record) => ({ record, value: undefined })));
        expect(encoded.map((bytes, index) => decodeRecord(records[index]?.revision ?? 0, bytes))).toEqual(records);
      }),
    );
  });

  const [valid = Buffer.alloc(0)] = encodeRecords([
    { record: { revision: 9, key: 'key', createRevision: 5, previousRevision: 8, expiresAt: 0 }, value: undefined },
  ]);
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(valid);
    bytes.writeDoubleLE(value, at);
    return bytes;
  };

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a record without its key', valid.subarray(0, 25)],
    ['another format', Buffer.concat([Buffer.of(2), valid.subarray(1)])],
    ['a key that came into being later', changed(1, 10)],
    ['a change that follows itself', changed(9, 9)],
    ['a number that is none', changed(9, Number.NaN)],
  ])('are refused when they are %s', (_, bytes) => {
    expect(() => decodeRecord(9, bytes)).toThrow(CorruptLogError);
  });
});
