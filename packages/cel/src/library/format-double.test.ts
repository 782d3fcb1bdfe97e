import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactDigits } from './decimal-digits.ts';
import { formatFixed, formatPlain } from './format-double.ts';

describe('formatting of doubles', () => {
  it('rounds to the nearest like the runtime, except for halves', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e15, max: 1e15, noNaN: true }),
        fc.integer({ min: 1, max: 20 }),
        (value, precision) => {
          const { digits, point } = exactDigits(value);
          fc.pre(!Object.is(value, -0) && !(digits.endsWith('5') && digits.length === point + precision + 1));
          expect(formatPlain(value, precision)).toBe(value.toFixed(precision));
        },
      ),
    );
  });

  it('separates thousands by commas outside of lists and maps', () => {
    expect(formatFixed(1234567.891, 2)).toBe('1,234,567.89');
    expect(formatFixed(999.999, 2)).toBe('1,000.00');
    expect(formatFixed(-0.5, 0)).toBe('-0');
  });
});
