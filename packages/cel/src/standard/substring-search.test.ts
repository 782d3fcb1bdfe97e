import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completed } from '../steps/steps.ts';
import { indexOfText, lastIndexOfText } from './substring-search.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
const part = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
/** Long enough that the text is searched window by window, and for a long part in linear time. */
const padding = 'c'.repeat(40_000);

describe('substring search', () => {
  it('finds the same positions as the runtime, in short and long texts', () => {
    fc.assert(
      fc.property(text, part, fc.nat(12), (inner, word, from) => {
        for (const [whole, wanted] of [
          [inner, word],
          [padding + inner + padding + padding, padding.slice(0, 100) + word],
          [padding + inner + padding + padding, padding.slice(0, 1500) + word],
        ] as const) {
          expect(completed(indexOfText(whole, wanted, from))).toBe(whole.indexOf(wanted, from));
          expect(completed(lastIndexOfText(whole, wanted, whole.length - from))).toBe(
            whole.lastIndexOf(wanted, whole.length - from),
          );
        }
      }),
      { numRuns: 50 },
    );
  });
});
