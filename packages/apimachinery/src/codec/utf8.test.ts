import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8, tryDecodeUtf8 } from './utf8.ts';

it('decodes what it encoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(decodeUtf8(encodeUtf8(text))).toBe(text);
    }),
  );
});

// The expectations are the results of Go's conversion of a string to runes.
it.each([
  ['a stray byte', [0x61, 0xff, 0x62], 'a\ufffdb'],
  ['each byte of a character cut off', [0xe2, 0x82], '\ufffd\ufffd'],
  ['each byte of a character broken off', [0xf0, 0x9f, 0x98, 0x41], '\ufffd\ufffd\ufffdA'],
  ['a surrogate', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
  ['an overlong form', [0xc0, 0xaf], '\ufffd\ufffd'],
  ['something beyond Unicode', [0xf4, 0x90, 0x80, 0x80], '\ufffd\ufffd\ufffd\ufffd'],
  ['good characters around it', [0xc3, 0xa9, 0x80, 0xf0, 0x9f, 0x98, 0x80], 'é\ufffd😀'],
])('replaces %s', (_, bytes, expected) => {
  expect(decodeUtf8(new Uint8Array(bytes))).toBe(expected);
  expect(tryDecodeUtf8(new Uint8Array(bytes))).toBeUndefined();
});

it('keeps a byte order mark', () => {
  expect(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toBe('\ufeffa');
});
