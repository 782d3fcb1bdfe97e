import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMessage } from './decode-message.ts';
import { encodeMessage } from './encode-message.ts';
import type { Message } from './message.ts';
import { encodeName } from './name-codec.ts';
import { Flag, Type } from './numbers.ts';
import { parseRecord, recordText } from './record-text.ts';
import { WireError } from './wire-error.ts';

const empty: Message = {
  id: 1,
  flags: 0,
  questions: [],
  answers: [],
  authorities: [],
  additionals: [],
  edns: undefined,
};
const label = fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => {
  const text = Buffer.from(bytes);
  return [...text].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('');
});
const name = fc.array(label, { maxLength: 5 }).map((labels) => (labels.length === 0 ? '.' : `${labels.join('.')}.`));
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((data) => Buffer.from(data));
const rdata = fc.oneof(
  bytes(4).map((address) => ({ type: Type.A, rdata: [address] })),
  name.map((target) => ({ type: Type.CNAME, rdata: [target] })),
  fc.tuple(bytes(6), name).map((parts) => ({ type: Type.SRV, rdata: parts })),
  fc.tuple(name, name, bytes(20)).map((parts) => ({ type: Type.SOA, rdata: parts })),
  bytes(30).map((data) => ({ type: 65_280, rdata: [data] })),
);
const record = fc
  .tuple(name, fc.nat(0xffff), fc.nat(0xffffffff), rdata)
  .map(([owner, value, ttl, data]) => ({ name: owner, class: value, ttl, ...data }));
const records = fc.array(record, { maxLength: 4 });
const message = fc.record({
  id: fc.nat(0xffff),
  flags: fc.nat(0xffff),
  questions: fc.array(fc.record({ name, type: fc.nat(0xffff), class: fc.nat(0xffff) }), { maxLength: 2 }),
  answers: records,
  authorities: records,
  additionals: records,
  edns: fc.option(
    fc.record({
      udpSize: fc.nat(0xffff),
      version: fc.nat(255),
      extendedRcode: fc.nat(255),
      flags: fc.nat(0xffff),
      options: bytes(8),
    }),
    { nil: undefined },
  ),
});

/** Names have several texts; the bytes are the same. */
const comparable = (text: string): string => encodeName(text).toString('hex');
const normal = (value: Message): unknown =>
  JSON.parse(JSON.stringify(value), (key, part) => {
    if (key === 'name') return comparable(part);
    return key === 'rdata' ? part.map((one: unknown) => (typeof one === 'string' ? comparable(one) : one)) : part;
  });

describe('a message', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(message, (value) => {
        expect(normal(decodeMessage(encodeMessage(value)))).toEqual(normal(value));
      }),
    );
  });

  it('of any bytes is read or refused, and what is read can be written and read again', () => {
    const packet = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((data) => Buffer.from(data)),
      // A message with some bytes changed comes further than random bytes.
      fc.tuple(message, fc.array(fc.tuple(fc.nat(500), fc.nat(255)), { maxLength: 3 })).map(([value, changes]) => {
        const data = Buffer.from(encodeMessage(value));
        for (const [at, byte] of changes) if (at < data.length) data[at] = byte;
        return data;
      }),
    );
    fc.assert(
      fc.property(packet, (data) => {
        try {
          const read = decodeMessage(data);
          expect(normal(decodeMessage(encodeMessage(read)))).toEqual(normal(read));
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('that is too long loses records from the end, keeps its OPT record, and says so', () => {
    const edns = { udpSize: 512, version: 0, extendedRcode: 0, flags: 0, options: Buffer.alloc(0) };
    const answers = Array.from({ length: 60 }, (_, index) => parseRecord(`many.example.org. 5 IN A 10.0.0.${index}`));
    const questions = [{ name: 'many.example.org.', type: 1, class: 1 }];
    const encoded = encodeMessage({ ...empty, questions, answers, edns }, 512);
    const read = decodeMessage(encoded);
    expect(encoded.length).toBeLessThanOrEqual(512);
    expect(read.answers.length).toBeGreaterThan(20);
    expect(read.answers).toEqual(answers.slice(0, read.answers.length));
    expect([read.flags & Flag.TC, read.edns]).toEqual([Flag.TC, edns]);
  });

  it('has each name once', () => {
    const answers = [
      parseRecord('WWW.example.org. 5 IN CNAME web.example.org.'),
      parseRecord('web.example.org. 5 IN CNAME www.example.org.'),
    ];
    const encoded = encodeMessage({ ...empty, questions: [{ name: 'www.example.org.', type: 5, class: 1 }], answers });
    expect(encoded.toString('latin1').match(/example/g)).toHaveLength(1);
    expect(encoded.toString('latin1').match(/www/gi)).toHaveLength(1);
  });
});

describe('a packet is refused', () => {
  const header = (questions: number, answers = 0): Buffer =>
    Buffer.from([0, 1, 1, 0, 0, questions, 0, answers, 0, 0, 0, 0]);
  const cases: Record<string, Buffer> = {
    'with a header that is cut off': header(1).subarray(0, 11),
    'with a pointer to itself': Buffer.concat([header(1), Buffer.from([0xc0, 12, 0, 1, 0, 1])]),
    'with pointers in a circle': Buffer.concat([header(1), Buffer.from([0xc0, 14, 0xc0, 12, 0, 1, 0, 1])]),
    'with a pointer back into its own name': Buffer.concat([header(1), Buffer.from([1, 97, 0xc0, 12, 0, 1, 0, 1])]),
    'with a pointer to behind its end': Buffer.concat([header(1), Buffer.from([0xff, 0xff, 0, 1, 0, 1])]),
    'with a label of an unknown type': Buffer.concat([header(1), Buffer.from([0x80, 1, 0, 1, 0, 1])]),
    'with a label that is cut off': Buffer.concat([header(1), Buffer.from([63, 97, 97])]),
    'with a name that is too long': Buffer.concat([
      header(1),
      ...Array.from({ length: 5 }, () => Buffer.alloc(64, 63)),
      Buffer.from([0, 0, 1, 0, 1]),
    ]),
    'with fewer questions than it says': header(255),
    'with fewer records than it says': Buffer.concat([header(0, 255), Buffer.alloc(20)]),
    'with data of a record that are cut off': Buffer.concat([
      header(0, 1),
      Buffer.from([0, 0, 1, 0, 1, 0, 0, 0, 5, 0, 9, 1]),
    ]),
    'with a name that ends behind the data of its record': Buffer.concat([
      header(0, 1),
      Buffer.from([0, 0, 5, 0, 1, 0, 0, 0, 5, 0, 1, 1, 97, 0]),
    ]),
    'with two OPT records': Buffer.concat([
      Buffer.from([0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2]),
      Buffer.from([0, 0, 41, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 41, 2, 0, 0, 0, 0, 0, 0, 0]),
    ]),
  };
  it.each(Object.entries(cases))('%s', (_title, packet) => {
    expect(() => decodeMessage(packet)).toThrow(WireError);
  });
});

describe('a record as text', () => {
  const cases = [
    'a.example. 60 IN A 10.0.0.1',
    'a.example. 60 IN AAAA 2001:db8::1',
    'a.example. 60 IN CNAME b.example.',
    'a.example. 60 IN MX 10 b.example.',
    'a.example. 60 IN SRV 1 2 3 b.example.',
    'a.example. 60 IN TXT "a b" "c"',
    'a.example. 60 IN SOA b.example. c.example. 1 2 3 4 5',
    'a.example. 60 CH TYPE65280 \\# 3 010203',
  ];
  it.each(cases)('%s is printed as it was parsed', (text) => {
    expect(recordText(parseRecord(text))).toBe(text);
  });

  it.each([
    ['a.example. 60 IN A 10.0.0', '"10.0.0" is no IP address'],
    ['a.example. 60 IN A fd00::1', 'the address is none for the type A'],
    ['a.example. IN A 10.0.0.1 5', '"5" is too much for A'],
    ['a..example. IN A 10.0.0.1', '"a..example." is no domain name'],
    ['a.example. IN FOO x', '"FOO" is no type of records'],
    ['a.example. IN CAA x', 'records of the type CAA cannot be written as text; use \\# LENGTH HEX'],
    ['a.example.', 'the record "a.example." has no type'],
  ])('%s is refused', (text, problem) => {
    expect(() => parseRecord(text)).toThrow(problem);
  });
});
