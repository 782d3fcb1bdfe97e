import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedMap } from './ordered-map.ts';

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/**
 * Few different characters, so that keys repeat, share prefixes and have every kind of code point at the same position.
 */
const anyKey = fc.string({
  unit: fc.constantFrom('/', 'a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}'),
});
const plainKey = fc.string({ unit: fc.constantFrom('/', 'a', 'b', 'c', 'é') });

type Change = { readonly kind: 'set' | 'delete'; readonly key: string };
const changes = (key: fc.Arbitrary<string>): fc.Arbitrary<Change[]> =>
  fc.array(fc.record({ kind: fc.constantFrom('set', 'set', 'delete'), key }), { maxLength: 300 });

function applied(list: readonly Change[]) {
  const map = new OrderedMap<number>();
  const model = new Map<string, number>();
  list.forEach(({ kind, key }, index) => {
    if (kind === 'set') {
      map.set(key, index);
      model.set(key, index);
    } else {
      expect(map.delete(key)).toBe(model.delete(key));
    }
  });
  const sorted = [...model].sort(([a], [b]) => byBytes(a, b));
  return { map, model, sorted };
}

describe('OrderedMap', () => {
  it.each([
    ['plain keys', plainKey],
    ['keys with code points of all planes', anyKey],
  ])('holds the same entries as a Map, in the order of the keys’ UTF-8 bytes: %s', (_, key) => {
    fc.assert(
      fc.property(changes(key), anyKey, anyKey, (list, prefix, from) => {
        const { map, model, sorted } = applied(list);
        expect(map.size).toBe(model.size);
        expect([...map.entries()]).toEqual(sorted);
        const after = sorted.filter(([each]) => byBytes(each, from) >= 0);
        expect([...map.entries(from)]).toEqual(after);
        for (const start of [prefix, from, `${prefix}${from}`]) {
          const within = sorted.filter(([each]) => each.startsWith(prefix) && byBytes(each, start) >= 0);
          expect([...map.entriesWithPrefix(prefix, start)]).toEqual(within);
          expect(map.countWithPrefix(prefix, start)).toBe(within.length);
          const values = within.map(([, value]) => value);
          expect(map.valuesWithPrefix(prefix, start)).toEqual(values);
          expect(map.valuesWithPrefix(prefix, start, 3)).toEqual(values.slice(0, 3));
        }
        for (const each of [prefix, from, ...model.keys()]) {
          expect(map.has(each)).toBe(model.has(each));
          expect(map.get(each)).toBe(model.get(each));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps its order while chunks split and join', () => {
    const map = new OrderedMap<number>();
    const keys = Array.from({ length: 5000 }, (_, index) => `/registry/${(index * 7919) % 5000}`);
    keys.forEach((key, index) => {
      map.set(key, index);
    });
    const sorted = [...keys].sort();
    expect([...map.entries()].map(([key]) => key)).toEqual(sorted);
    expect(map.countWithPrefix('/registry/4')).toBe(1111);
    const gone = new Set(keys.filter((_, index) => index % 10 !== 0));
    for (const key of gone) expect(map.delete(key)).toBe(true);
    const left = sorted.filter((key) => !gone.has(key));
    expect([...map.entries()].map(([key]) => key)).toEqual(left);
    expect(map.countWithPrefix('')).toBe(500);
    for (const key of left) map.delete(key);
    expect(map.size).toBe(0);
    expect([...map.entries()]).toEqual([]);
  });

  it('finds keys that were inserted in order', () => {
    const map = new OrderedMap<number>();
    const keys = Array.from({ length: 2000 }, (_, index) => String(index).padStart(5, '0'));
    keys.forEach((key, index) => {
      map.set(key, index);
    });
    expect([...map.entries('01990')].map(([, value]) => value)).toEqual([
      1990, 1991, 1992, 1993, 1994, 1995, 1996, 1997, 1998, 1999,
    ]);
  });

  it('is empty again after clear', () => {
    const map = new OrderedMap<number>().set('a', 1).set('😀', 2);
    map.clear();
    expect([map.size, map.has('a'), [...map.entries()]]).toEqual([0, false, []]);
  });
});
