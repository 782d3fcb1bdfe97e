import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestHeaderList } from './header-blocks.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { errorCodes } from './http2-error.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replace(/\s/g, ''), 'hex');
const read = (decoder: HpackDecoder, hex: string): string[] =>
  decoder.decode(bytes(hex)).map(({ name, value }) => `${name}: ${value}`);

describe('HpackDecoder', () => {
  // RFC 7541, C.6: three successive responses with a table of 256 bytes.
  it('decodes Huffman strings, and evicts entries', () => {
    const decoder = new HpackDecoder(longestHeaderList);
    const [date, location] = ['date: Mon, 21 Oct 2013 20:13:21 GMT', 'location: https://www.example.com'];
    expect(
      read(
        decoder,
        `3fe101 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad
         1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
      ),
    ).toEqual([':status: 302', 'cache-control: private', date, location]);
    expect(read(decoder, '4883 640e ffc1 c0bf')).toEqual([':status: 307', 'cache-control: private', date, location]);
    expect(
      read(
        decoder,
        `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335
         dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
      ),
    ).toEqual([
      ':status: 200',
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:22 GMT',
      location,
      'content-encoding: gzip',
      'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ]);
    // The oldest remaining entry; the earlier ones were evicted.
    expect(read(decoder, 'c0')).toEqual(['date: Mon, 21 Oct 2013 20:13:22 GMT']);
    expect(() => read(decoder, 'c1')).toThrow('malformed');
  });

  const broken: Record<string, string> = {
    'an unknown index': 'ff00',
    'the index 0': '80',
    'a string that is longer than the block': '00 05 61',
    'an endless integer': 'ff ff ff ff ff ff ff',
    'a table size above the limit': '3f e2 1f',
    'invalid padding': '00 81 00 00',
    'more padding than a byte': '00 82 1f ff 00',
    'a truncated field': '00 01 61',
    'a table size update between fields': '88 20',
    'a name with capitals': '00 01 41 01 61',
    'an empty name': '00 00 01 61',
    'a name with a space': '00 02 61 20 01 61',
    'a value with a line break': '00 01 61 02 0d 0a',
    'a value with a NUL': '00 01 61 01 00',
  };
  it.each(Object.entries(broken))('refuses %s', (_, hex) => {
    expect(() => read(new HpackDecoder(longestHeaderList), hex)).toThrow('a header is malformed');
  });
});

describe('a header list', () => {
  /** Adds a field of 4 kB to the table, and refers to it repeatedly with one byte each. */
  const bomb = (times: number): Buffer => {
    const value = Buffer.alloc(4000, 'x');
    const literal = Buffer.concat([bytes('40 01 61 7f a1 1e'), value]);
    return Buffer.concat([literal, Buffer.alloc(times, 0xbe)]);
  };

  it('is decoded up to the maximum length', () => {
    expect(new HpackDecoder(longestHeaderList).decode(bomb(60))).toHaveLength(61);
  });

  it('is rejected when it is longer, however short it was encoded', () => {
    const refused = expect.objectContaining({ http2Code: errorCodes.enhanceYourCalm });
    expect(() => new HpackDecoder(longestHeaderList).decode(bomb(100_000))).toThrow(refused);
  });
});

describe('HpackEncoder', () => {
  const text = fc
    .oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ minLength: 300, maxLength: 1500 }))
    // Invalid in headers.
    .map((some) => some.replace(/[\0\r\n]/g, ''));
  const name = fc.constantFrom(':path', ':method', 'authorization', 'accept', 'content-length', 'x-a', 'x-b');
  const blocks = fc.array(fc.array(fc.tuple(name, text), { maxLength: 8 }), { maxLength: 30 });

  it('encodes blocks that a decoder decodes, with any table size', () => {
    fc.assert(
      fc.property(blocks, fc.array(fc.nat(5000)), (all, limits) => {
        const encoder = new HpackEncoder();
        const decoder = new HpackDecoder(longestHeaderList);
        all.forEach((fields, index) => {
          if (limits[index] !== undefined) encoder.tableBytes = limits[index];
          // Twice: the second time most fields are in the table.
          for (let time = 0; time < 2; time++) {
            encoder.begin();
            for (const [each, value] of fields) encoder.add(each, value);
            const decoded = decoder.decode(Buffer.from(encoder.end()));
            expect(decoded.map((field) => [field.name, field.value])).toEqual(
              fields.map((field) => field.map((part) => Buffer.from(part).toString())),
            );
          }
        });
      }),
    );
  });

  it('takes one byte for a field that was sent before', () => {
    const encoder = new HpackEncoder();
    const length = (): number => {
      encoder.begin();
      encoder.add('authorization', `Bearer ${'x'.repeat(1000)}`);
      return encoder.end().length;
    };
    expect(length()).toBeGreaterThan(1000);
    expect(length()).toBe(1);
  });

  it('clears the table when it is full', () => {
    const encoder = new HpackEncoder();
    const length = (token: number): number => {
      encoder.begin();
      encoder.add('authorization', `Bearer ${String(token).padStart(1000)}`);
      return encoder.end().length;
    };
    for (let token = 0; token < 10; token++) {
      length(token);
      length(token);
      expect(length(token)).toBeLessThan(10);
    }
  });
});
