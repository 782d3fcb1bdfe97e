import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../utf8.ts';
import { StringTable } from './string-table.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe.each([
  ['with the slices of Buffer', () => Promise.resolve(new StringTable())],
  [
    'in a browser, without Buffer',
    async () => {
      vi.resetModules();
      vi.stubGlobal('Buffer', undefined);
      return new (await import('./string-table.ts')).StringTable();
    },
  ],
])('%s', (_, newTable) => {
  it('decodes every sequence of bytes, repeated or after any others', async () => {
    const table = await newTable();
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc.string({ maxLength: 80 }).map(encodeUtf8),
      fc.string({ unit: 'grapheme', maxLength: 30 }).map(encodeUtf8),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(bytes, fc.integer({ min: 1, max: 3 })), { maxLength: 20 }), (sequences) => {
        for (const [sequence, times] of sequences) {
          const message = new Uint8Array([0x61, ...sequence, 0x62]);
          for (let i = 0; i < times; i++) expect(table.get(message, 1, message.length - 1)).toBe(decodeUtf8(sequence));
        }
      }),
    );
  });

  it('distinguishes strings on the same slot', async () => {
    const table = await newTable();
    // More strings than slots, each looked up often enough to be stored.
    const texts = Array.from({ length: 10_000 }, (_, i) => `label-${i}`);
    const wrong = new Set<string>();
    for (const times of [3, 1]) {
      for (const text of texts) {
        const bytes = encodeUtf8(text);
        for (let i = 0; i < times; i++) if (table.get(bytes, 0, bytes.length) !== text) wrong.add(text);
      }
    }
    expect(wrong).toEqual(new Set());
  });

  it.each(['__proto__', 'constructor', '0'])('treats %s as an ordinary string', async (text) => {
    const table = await newTable();
    for (let i = 0; i < 3; i++) expect(table.get(encodeUtf8(text), 0, text.length)).toBe(text);
  });
});

it('stores a string when it recurs, without referring to the bytes of the message', () => {
  const table = new StringTable();
  const message = encodeUtf8('app');
  for (let i = 0; i < 3; i++) table.get(message, 0, 3);
  message.set(encodeUtf8('abc'));
  expect(table.get(message, 0, 3)).toBe('abc');
  expect(table.get(encodeUtf8('app'), 0, 3)).toBe('app');
});
