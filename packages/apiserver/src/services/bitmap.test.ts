import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bitmap } from './bitmap.ts';

const size = 100;
const indexes = fc.array(fc.nat(size - 1), { maxLength: 2 * size });
const ofIndexes = (list: readonly number[]): Bitmap => {
  const bitmap = new Bitmap(size);
  for (const index of list) bitmap.set(index);
  return bitmap;
};

describe('a bitmap', () => {
  it('is a set of numbers', () => {
    fc.assert(
      fc.property(indexes, indexes, (added, removed) => {
        const set = new Set<number>();
        const bitmap = new Bitmap(size);
        for (const index of added) {
          expect(bitmap.set(index)).toBe(!set.has(index));
          set.add(index);
        }
        for (const index of removed) expect(bitmap.clear(index)).toBe(set.delete(index));
        expect([...bitmap]).toEqual([...set].sort((a, b) => a - b));
        expect(bitmap.count).toBe(set.size);
      }),
    );
  });

  it('finds the first clear bit from any start, or else before it', () => {
    fc.assert(
      fc.property(
        indexes,
        fc.tuple(fc.nat(size), fc.nat(size), fc.nat(size)).map((three) => three.sort((a, b) => a - b)),
        (taken, [from = 0, start = 0, to = 0]) => {
          const bitmap = ofIndexes(taken);
          const order = Array.from({ length: to - from }, (_, i) => from + ((start - from + i) % (to - from)));
          expect(bitmap.findClear(from, to, start)).toBe(order.find((index) => !taken.includes(index)));
        },
      ),
    );
  });

  it('is the same after encoding and decoding, and is encoded as the number with these bits', () => {
    fc.assert(
      fc.property(indexes, (list) => {
        const bitmap = ofIndexes(list);
        const bytes = bitmap.toBytes();
        const number = list.reduce((sum, index) => sum | (1n << BigInt(index)), 0n);
        expect(BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)).toBe(number);
        expect(bytes[0]).not.toBe(0);
        expect(Bitmap.fromBytes(bytes, size).equals(bitmap)).toBe(true);
        expect(bitmap.copy().equals(bitmap)).toBe(true);
      }),
    );
  });

  it('drops bits beyond its size', () => {
    expect([...Bitmap.fromBytes(Uint8Array.of(0xff, 0xff), 3)]).toEqual([0, 1, 2]);
  });
});
