import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { methods } from './messages.ts';
import { bool, bytes, id, int64, many, message, one, text } from './protobuf.ts';

const Inner = message({ name: text(1), size: int64(200) });
const Outer = message({
  on: bool(1),
  id: id(2),
  data: bytes(3),
  inner: one(4, Inner),
  list: many(5, Inner),
  n: int64(16),
});

const int64s = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 127, 128, 2 ** 31, 2 ** 49 - 1, 2 ** 49));
const inners = fc.record({ name: fc.string({ unit: 'binary' }), size: int64s }, { requiredKeys: [] });
const outers = fc.record(
  {
    on: fc.boolean(),
    id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    data: fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value)),
    inner: inners,
    list: fc.array(inners, { minLength: 1 }),
    n: int64s,
  },
  { requiredKeys: [] },
);

describe('protobuf', () => {
  it('reads what it writes', () => {
    fc.assert(
      fc.property(outers, (value) => {
        expect(Outer.decode(Outer.encode(value))).toEqual(value);
      }),
    );
  });

  it('skips what is not in its table', () => {
    const Less = message({ id: id(2), n: int64(16) });
    fc.assert(
      fc.property(outers, (value) => {
        const { id: ids, n } = value;
        expect(Less.decode(Outer.encode(value))).toEqual({
          ...(ids !== undefined && { id: ids }),
          ...(n !== undefined && { n }),
        });
      }),
    );
    // Fixed numbers of 64 and 32 bits, which etcd does not send yet.
    expect(Less.decode(Buffer.from('090000000000000000' + '3d00000000' + '1005', 'hex'))).toEqual({ id: 5n });
  });

  it('throws at what is cut off or broken, and never reads past the end', () => {
    fc.assert(
      fc.property(outers, fc.nat(), fc.uint8Array({ maxLength: 40 }), (value, cut, noise) => {
        const encoded = Outer.encode(value);
        for (const input of [encoded.subarray(0, cut % (encoded.length + 1)), Buffer.from(noise)]) {
          try {
            Outer.decode(input);
          } catch (error) {
            expect(String(error)).toContain('malformed protobuf message');
          }
        }
      }),
    );
  });

  const malformed = {
    'a message that ends within a number': '08ff',
    'a length beyond the end': '1a05ff',
    'a number without end': '10ffffffffffffffffffffff01',
    'a number that is not exact': '8001ffffffffffffff7f',
    'a group': '0b',
    'another wire type than the table says': '1801',
  };
  it.each(Object.entries(malformed))('refuses %s', (_, hex) => {
    expect(() => Outer.decode(Buffer.from(hex, 'hex'))).toThrow('malformed protobuf message');
  });

  it('refuses to write a number that is not one of etcd', () => {
    for (const n of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => Outer.encode({ n })).toThrow(RangeError);
  });

  it('reads negative numbers, which etcd uses for "all watches"', () => {
    expect(Outer.decode(Buffer.from('8001ffffffffffffffffff01', 'hex'))).toEqual({ n: -1 });
  });

  it('writes the transaction of a create as the client of etcd does', () => {
    // Taken from go.etcd.io/etcd/api v3.6.8.
    const request = methods.txn.request.encode({
      compare: [{ target: 2, key: Buffer.from('/a'), modRevision: 0 }],
      success: [{ requestPut: { key: Buffer.from('/a'), value: Buffer.from('v'), lease: 7n } }],
      failure: [{ requestRange: { key: Buffer.from('/a') } }],
    });
    expect(request.toString('hex')).toBe('0a0810021a022f613000120b12090a022f6112017618071a060a040a022f61');
  });
});
