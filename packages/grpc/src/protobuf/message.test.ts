import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bool,
  bytes,
  double,
  id,
  int64,
  many,
  name,
  one,
  signed,
  signeds,
  text,
  textMap,
  texts,
  unsigned,
} from './field.ts';
import { message, struct } from './message.ts';

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

  it('skips fields that are not in its table', () => {
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

  it('throws for truncated or damaged input, and never reads past the end', () => {
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
    'a number that cannot be represented exactly': '8001ffffffffffffff7f',
    'a group': '0b',
    'a wire type other than the table’s': '1801',
  };
  it.each(Object.entries(malformed))('refuses %s', (_, hex) => {
    expect(() => Outer.decode(Buffer.from(hex, 'hex'))).toThrow('malformed protobuf message');
  });

  it('refuses to write numbers other than non-negative integers', () => {
    for (const n of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => Outer.encode({ n })).toThrow(RangeError);
  });

  it('reads negative numbers, which etcd uses for "all watches"', () => {
    expect(Outer.decode(Buffer.from('8001ffffffffffffffffff01', 'hex'))).toEqual({ n: -1 });
  });
});

interface Leaf {
  readonly name: string;
  readonly at: bigint;
}
const Leaf = struct<Leaf>(() => ({ name: text(1), at: id(2) }));
const colours = { RED: 0, GREEN: 1, BLUE: 5 } as const;
interface Tree {
  readonly colour: keyof typeof colours;
  readonly leaf?: Leaf;
  readonly leaves: readonly Leaf[];
  readonly words: readonly string[];
  readonly numbers: readonly number[];
  readonly labels: Readonly<Record<string, string>>;
  readonly offset: number;
  readonly count: number;
  readonly share: number;
  readonly data: Uint8Array;
  readonly on: boolean;
}
const Tree = struct<Tree>(() => ({
  colour: name(1, colours),
  leaf: one(2, Leaf),
  leaves: many(3, Leaf),
  words: texts(4),
  numbers: signeds(5),
  labels: textMap(6),
  offset: signed(7),
  count: unsigned(8),
  share: double(9),
  data: bytes(10),
  on: bool(11),
}));
const zeros = {
  colour: 'RED',
  leaves: [],
  words: [],
  numbers: [],
  labels: {},
  offset: 0,
  count: 0,
  share: 0,
  data: new Uint8Array(),
  on: false,
};

const leaves = fc.record(
  { name: fc.string({ unit: 'binary' }), at: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
  { requiredKeys: [] },
);
const trees = fc.record(
  {
    colour: fc.constantFrom('RED', 'GREEN', 'BLUE'),
    leaf: leaves,
    leaves: fc.array(leaves),
    words: fc.array(fc.string({ unit: 'binary' })),
    numbers: fc.array(fc.maxSafeInteger()),
    labels: fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })),
    offset: fc.maxSafeInteger(),
    count: fc.maxSafeNat(),
    share: fc.double({ noNaN: true }),
    data: fc.uint8Array().map((value) => Buffer.from(value)),
    on: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe('a message of proto3', () => {
  it('has zero values for missing fields, and leaves missing messages undefined', () => {
    expect(Tree.decode(Buffer.alloc(0))).toEqual(zeros);
    expect(Tree.complete({ leaf: {} })).toEqual({ ...zeros, leaf: { name: '', at: 0n } });
  });

  it('is completed to the same value as encoding and decoding gives', () => {
    fc.assert(
      fc.property(trees, (tree) => {
        expect(Tree.complete(tree)).toEqual(Tree.decode(Tree.encode(tree)));
      }),
    );
  });

  it('reads repeated numbers that are not packed', () => {
    expect(Tree.decode(Buffer.from('2805' + '2a020607' + '28ffffffffffffffffff01', 'hex')).numbers).toEqual([
      5, 6, 7, -1,
    ]);
  });

  it('reads integers beyond 2^53 as the nearest number, and bigints exactly', () => {
    const { offset, count } = Tree.decode(Buffer.from('38ffffffffffffffff7f' + '40ffffffffffffffffff01', 'hex'));
    expect({ offset, count }).toEqual({ offset: 2 ** 63, count: 2 ** 64 });
    expect(Leaf.decode(Leaf.encode({ at: 1_700_000_000_123_456_789n })).at).toBe(1_700_000_000_123_456_789n);
  });

  it.each([0n, 1n, 127n, 128n, 2n ** 28n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 35n + 1n, 2n ** 63n - 1n])(
    'reads the bigint %s and its negative as they were written',
    (at) => {
      expect(Leaf.decode(Leaf.encode({ at })).at).toBe(at);
      expect(Leaf.decode(Leaf.encode({ at: -at - 1n })).at).toBe(-at - 1n);
    },
  );

  it('reads an enumeration’s number without a name as the name of 0', () => {
    expect(Tree.decode(Buffer.from('0807', 'hex')).colour).toBe('RED');
  });

  it('keeps a label called __proto__ as a label', () => {
    const labels = Object.fromEntries([['__proto__', 'x']]);
    expect(Object.entries(Tree.decode(Tree.encode({ labels })).labels)).toEqual([['__proto__', 'x']]);
  });

  it('throws for truncated or damaged input, and never reads past the end', () => {
    fc.assert(
      fc.property(trees, fc.nat(), fc.uint8Array({ maxLength: 40 }), (tree, cut, noise) => {
        const encoded = Tree.encode(tree);
        for (const input of [encoded.subarray(0, cut % (encoded.length + 1)), Buffer.from(noise)]) {
          try {
            Tree.decode(input);
          } catch (error) {
            expect(String(error)).toContain('malformed protobuf message');
          }
        }
      }),
    );
  });
});
