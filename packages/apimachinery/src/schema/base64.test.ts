import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalBase64, decodeBase64, encodeBase64 } from './base64.ts';

it('encodes and decodes as Node does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(encodeBase64(bytes)).toBe(text);
      expect(decodeBase64(text)).toEqual(bytes);
      expect(canonicalBase64(text)).toBe(text);
    }),
  );
});

it('encodes more than fits on the stack', () => {
  const bytes = new Uint8Array(1_000_001).fill(7);
  expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
});

it.each([
  ['drops line breaks', 'Y\nQ\r\n==', 'YQ=='],
  ['clears the bits that padding leaves over', 'YR==', 'YQ=='],
  ['clears them before a single padding character', 'YWJ=', 'YWI='],
  ['keeps an empty text', '', ''],
])('%s', (_, text, expected) => {
  expect(canonicalBase64(text)).toBe(expected);
});

it.each([
  ['!!', 0],
  ['YQ', 0],
  ['YWJj\nYQ', 5],
  ['YQ=', 3],
  ['YQ=x', 2],
  ['Y===', 1],
  ['YQ==YQ==', 4],
  ['YWJ-', 3],
  ['YW\nJ!', 4],
  ['YQ\n=\nx', 4],
  ['YQ==\r\nYQ', 6],
])('reports where %j is invalid', (text, index) => {
  expect(() => canonicalBase64(text)).toThrow(`illegal base64 data at input byte ${index}`);
});
