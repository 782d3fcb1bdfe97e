import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DerReader, derTags } from './der-reader.ts';
import { derElement, derInteger, derOid, derTime } from './der-writer.ts';

describe('DER', () => {
  it('of any content is the same after encoding and decoding', () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 65_530, max: 65_540 }).map((length) => new Uint8Array(length)),
    );
    fc.assert(
      fc.property(content, (bytes) => {
        const reader = new DerReader(derElement(derTags.octetString, bytes));
        expect(Buffer.from(reader.takeOr(derTags.octetString, 'none').content).equals(bytes)).toBe(true);
        expect(reader.isEmpty).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('of any number is the same after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 160n }), (value) => {
        const digits = value.toString(16);
        const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2) + 2, '0'), 'hex');
        expect(new DerReader(derInteger(bytes)).integer('none')).toBe(value);
      }),
    );
  });

  it.each([
    ['2.5.29.17', '0603551d11'],
    ['1.2.840.113549.1.1.11', '06092a864886f70d01010b'],
    ['1.3.6.1.4.1.57683.2', '06092b0601040183c25302'],
  ])('of the identifier %s is %s', (dotted, hex) => {
    expect(Buffer.from(derOid(dotted)).toString('hex')).toBe(hex);
  });

  it.each([
    ['2049-12-31T23:59:59.999Z', '\x17\r491231235959Z'],
    ['2050-01-01T00:00:00.000Z', '\x18\x0f20500101000000Z'],
  ])('of the time %s has two digits for the year only before 2050', (time, text) => {
    expect(Buffer.from(derTime(new Date(time))).toString('latin1')).toBe(text);
  });
});
