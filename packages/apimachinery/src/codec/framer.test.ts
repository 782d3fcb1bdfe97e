import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, textOf } from './example-lookup.test-data.ts';
import { type Framer, jsonFramer, lengthDelimitedFramer } from './framer.ts';

const join = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(parts.flatMap((part) => [...part]));

const cut = (bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] => {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
};

describe.each<[string, Framer, fc.Arbitrary<Uint8Array>]>([
  ['lines', jsonFramer, fc.json().map((text) => bytesOf(`${text}\n`))],
  ['lengths', lengthDelimitedFramer, fc.uint8Array({ maxLength: 300 })],
])('frames by %s', (_, framer, message) => {
  it('are read back whole, however the stream is split into chunks', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(50)), (messages, sizes) => {
        const reader = framer.reader();
        const chunks = cut(join(messages.map((one) => framer.frame(one))), sizes);
        const frames = [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
        expect(frames.map((frame) => [...frame])).toEqual(messages.map((one) => [...one]));
      }),
    );
  });
});

describe('lines', () => {
  it('end with a line break, which is added when it is missing', () => {
    expect(textOf(jsonFramer.frame(bytesOf('{}')))).toBe('{}\n');
    expect(textOf(jsonFramer.frame(bytesOf('{}\n')))).toBe('{}\n');
  });

  it('are skipped when they are blank; the last needs no line break', () => {
    const reader = jsonFramer.reader();
    expect(
      [...reader.push(bytesOf('\n \r\n{}\n{"a"')), ...reader.push(bytesOf(':1}')), ...reader.end()].map(textOf),
    ).toEqual(['{}\n', '{"a":1}']);
  });

  it('may not be too long', () => {
    const reader = jsonFramer.reader(10);
    reader.push(bytesOf('123456'));
    expect(() => reader.push(bytesOf('78901'))).toThrow('object to decode was longer than maximum allowed size');
  });
});

describe('lengths', () => {
  it('are four bytes in big-endian order', () => {
    expect([...lengthDelimitedFramer.frame(new Uint8Array(258)).subarray(0, 4)]).toEqual([0, 0, 1, 2]);
  });

  it('throw at once when they are too long', () => {
    const reader = lengthDelimitedFramer.reader();
    expect(() => reader.push(new Uint8Array([0xff, 0xff, 0xff, 0xff]))).toThrow('longer than maximum allowed size');
  });

  it.each([[[0]], [[0, 0, 0, 2, 1]]])('throw when the stream ends after %j', (bytes) => {
    const reader = lengthDelimitedFramer.reader();
    reader.push(new Uint8Array(bytes));
    expect(() => reader.end()).toThrow('unexpected EOF');
  });
});
