import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countIndexes, firstCommonIndex } from './job-indexes.ts';

const completions = 50;
const indexes = fc.uniqueArray(fc.integer({ min: 0, max: completions - 1 })).map((list) => list.sort((a, b) => a - b));

/** Formats indexes as `1,3-5,7`: consecutive ones are joined. */
function write(list: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const index of list) {
    const last = parts.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else parts.push([index, index]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

describe('lists of indexes', () => {
  it('are counted', () => {
    fc.assert(
      fc.property(indexes, (list) => {
        expect(countIndexes(write(list), completions)).toBe(list.length);
      }),
    );
  });

  it('have a first common index, or none', () => {
    fc.assert(
      fc.property(indexes, indexes, (a, b) => {
        expect(firstCommonIndex(write(a), write(b), completions)).toBe(a.find((index) => b.includes(index)));
      }),
    );
  });

  it('are compared without their invalid parts', () => {
    expect(firstCommonIndex('x,7-3', '3,7', completions)).toBeUndefined();
    expect(firstCommonIndex('x,7', '3,7', completions)).toBe(7);
  });
});
