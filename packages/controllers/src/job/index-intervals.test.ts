import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexIntervals } from './index-intervals.ts';

const completions = 40;
const indexes = fc.uniqueArray(fc.nat({ max: completions - 1 }));
const parse = (text: string, limit = completions): IndexIntervals => IndexIntervals.parse(text, limit);

describe('IndexIntervals', () => {
  it.each<[indexes: number[], text: string]>([
    [[], ''],
    [[3], '3'],
    [[3, 4], '3,4'],
    [[5, 3, 4], '3-5'],
    [[0, 1, 2, 4, 6, 7, 9], '0-2,4,6,7,9'],
  ])('formats %j as %j', (values, text) => {
    expect(`${IndexIntervals.of(values)}`).toBe(text);
  });

  it.each<[text: string, limit: number, read: string]>([
    ['1,3-5,7', 40, '1,3-5,7'],
    ['3,4,5', 40, '3-5'],
    ['1,x,3', 40, '1,3'],
    ['1,3-x,5', 40, '1,5'],
    ['1,3-9,12', 5, '1,3,4'],
    ['1,7', 5, '1'],
  ])('parses %j of %i completions as %j', (text, limit, read) => {
    expect(`${parse(text, limit)}`).toBe(read);
  });

  it('parses its own format', () => {
    fc.assert(
      fc.property(indexes, (values) => `${parse(`${IndexIntervals.of(values)}`)}` === `${IndexIntervals.of(values)}`),
    );
  });

  it('contains its indexes', () => {
    fc.assert(
      fc.property(indexes, (values) => {
        const intervals = IndexIntervals.of(values);
        const members = Array.from({ length: completions }, (_, i) => i).filter((index) => intervals.has(index));
        expect(members).toEqual(values.sort((a, b) => a - b));
        expect(intervals.size).toBe(values.length);
      }),
    );
  });

  it('computes unions and the size of intersections', () => {
    fc.assert(
      fc.property(indexes, indexes, (a, b) => {
        const [left, right] = [IndexIntervals.of(a), IndexIntervals.of(b)];
        expect(`${left.with(right)}`).toBe(`${IndexIntervals.of(new Set([...a, ...b]))}`);
        expect(left.commonWith(right)).toBe(a.filter((index) => b.includes(index)).length);
      }),
    );
  });

  it('returns the first missing indexes', () => {
    fc.assert(
      fc.property(indexes, fc.nat({ max: 50 }), fc.nat({ max: 50 }), (values, count, limit) => {
        const missing = Array.from({ length: limit }, (_, i) => i).filter((index) => !values.includes(index));
        expect(IndexIntervals.of(values).firstMissing(count, limit)).toEqual(missing.slice(0, count));
      }),
    );
  });
});
