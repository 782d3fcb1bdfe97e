import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMessage } from './decode-message.ts';
import { encodeMessage } from './encode-message.ts';
import { QueryScanner } from './query-scanner.ts';

const scanner = new QueryScanner(1);

const query = (name: string, type = 1, extra = {}) =>
  encodeMessage({
    id: 7,
    flags: 0x0100,
    questions: [{ name, type, class: 1 }],
    answers: [],
    authorities: [],
    additionals: [],
    ...extra,
  });

const edns = { udpSize: 1232, version: 0, extendedRcode: 0, flags: 0, options: Buffer.alloc(0) };

const keyOf = (packet: Buffer): string | undefined =>
  scanner.scan(packet)
    ? `${scanner.hash} ${Buffer.from(scanner.key.subarray(0, scanner.keyLength)).toString('hex')}`
    : undefined;

describe('the key of a query', () => {
  it('does not depend on the case of the name, the id, or the size of the buffer', () => {
    const key = keyOf(query('web.example.'));
    expect(key).toBeDefined();
    expect(keyOf(query('WEB.Example.'))).toBe(key);
    expect(keyOf(query('web.example.', 1, { id: 9, edns }))).toBe(key);
  });

  it('depends on everything that changes an answer', () => {
    const keys = [
      query('web.example.'),
      query('web.example.', 28),
      query('we.bexample.'),
      query('web.example.', 1, { flags: 0x0110 }),
      query('web.example.', 1, { flags: 0x0120 }),
      query('web.example.', 1, { edns: { ...edns, flags: 0x8000 } }),
    ].map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).not.toContain(undefined);
  });

  it('is not taken from packets of another form', () => {
    const valid = query('web.example.', 1, { edns });
    expect(keyOf(valid)).toBeDefined();
    expect(keyOf(Buffer.concat([valid, Buffer.from([0])]))).toBeUndefined();
    expect(keyOf(valid.subarray(0, -1))).toBeUndefined();
    expect(keyOf(query('web.example.', 1, { flags: 0x8100 }))).toBeUndefined();
    expect(keyOf(query('web.example.', 1, { edns: { ...edns, version: 1 } }))).toBeUndefined();
    const pointer = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1]);
    expect(keyOf(pointer)).toBeUndefined();
  });
});

it('takes only packets that the decoder reads with the same question', () => {
  const packet = fc
    .tuple(fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 3 }), fc.nat(60), fc.boolean())
    .map(([changes, cut, hasEdns]) => {
      const bytes = Buffer.from(query('some.name.example.', 1, hasEdns ? { edns } : {}));
      for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
      return cut < 10 ? bytes.subarray(0, bytes.length - cut) : bytes;
    });
  fc.assert(
    fc.property(packet, (bytes) => {
      if (!scanner.scan(bytes)) return;
      const { questions, edns: opt } = decodeMessage(bytes);
      expect([questions[0]?.type, opt !== undefined]).toEqual([scanner.type, scanner.hasEdns]);
    }),
    { numRuns: 3000 },
  );
});
