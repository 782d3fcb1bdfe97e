import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DerReader, X509Error } from './der-reader.ts';
import { derInteger, derOid } from './der-writer.ts';

const reader = (hex: string): DerReader => new DerReader(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('an element of DER', () => {
  it.each([
    ['no bytes', ''],
    ['a tag alone', '30'],
    ['fewer bytes than its length', '300201'],
    ['a tag of several bytes', '1f8101ff'],
    ['an indefinite length', '3080050000'],
    ['a long form for a short length', '308101ff'],
    ['a length with leading zeros', '308200810000'],
    ['a length of five bytes', '308500000000010000'],
    ['a length of gigabytes', '3084ffffffff00'],
  ])('is refused: %s', (_, hex) => {
    const bytes = reader(hex);
    expect(bytes.next()).toBeUndefined();
    expect(bytes.offset).toBe(0);
  });

  it('must not end after its parent', () => {
    const inner = reader('3003020200ff').enter(0x30, 'none');
    expect(inner.next()).toBeUndefined();
    expect(hexOf(inner.bytes)).toBe('020200');
  });
});

describe('an integer', () => {
  it.each([
    ['020100', 0n],
    ['02017f', 127n],
    ['0201ff', -1n],
    ['02020080', 128n],
    ['0202ff7f', -129n],
  ])('%s is %s', (hex, value) => {
    expect(reader(hex).integer('bad')).toBe(value);
  });

  it.each(['0200', '02020001', '0202ff80', '030100'])('is not %s', (hex) => {
    expect(() => reader(hex).integer('bad')).toThrow(new X509Error('bad'));
  });

  it('may have any length', () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i % 127) + 1);
    expect(reader(hexOf(derInteger(bytes))).integerBytes('bad')).toEqual(Buffer.from(bytes));
  });
});

describe('an object identifier', () => {
  it('is the same after encoding and decoding', () => {
    const rest = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(2), fc.nat(39), rest, (first, second, more) => {
        const dotted = [first, second, ...more].join('.');
        expect(new DerReader(derOid(dotted)).oid('bad')).toBe(dotted);
      }),
    );
  });

  it.each([
    ['empty', '0600'],
    ['unfinished', '060281'],
    ['padded', '06038001ff'],
    ['padded further on', '0603558001'],
    ['too large', '06062b8888888800'],
  ])('is refused when it is %s', (_, hex) => {
    expect(() => reader(hex).oid('bad')).toThrow(new X509Error('bad'));
  });
});

describe('a string of bits', () => {
  it.each([
    ['0300', undefined],
    ['030108', undefined],
    ['030101', undefined],
    ['03020101', undefined],
    ['030100', ''],
    ['03020001', '01'],
    ['03020780', '01'],
    ['0303040ff0', '00ff'],
  ])('%s is %s', (hex, value) => {
    const read = () => hexOf(reader(hex).bitString('bad'));
    if (value === undefined) expect(read).toThrow(new X509Error('bad'));
    else expect(read()).toBe(value);
  });
});

it.each([
  ['010100', false],
  ['0101ff', true],
  ['010101', undefined],
  ['0100', undefined],
  ['01020000', undefined],
])('%s as a boolean is %s', (hex, value) => {
  const read = () => reader(hex).boolean('bad');
  if (value === undefined) expect(read).toThrow(new X509Error('bad'));
  else expect(read()).toBe(value);
});
