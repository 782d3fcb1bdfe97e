import { describe, expect, it } from 'vitest';
import { canonicalQuantity } from './canonical.ts';
import { Quantity } from './quantity.ts';

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixWrong = "unable to parse quantity's suffix";
const numberWrong = 'unable to parse numeric part of quantity';

describe('canonicalQuantity', () => {
  it.each<[why: string, text: string, canonical: string]>([
    ['zero', '0', '0'],
    ['zero with a suffix', '0m', '0'],
    ['zero with a sign', '-0', '0'],
    ['a sign alone', '-', '0'],
    ['a suffix alone', 'Ki', '0'],
    ['a plain number', '12345', '12345'],
    ['a negative number', '-1', '-1'],
    ['a fraction', '0.5', '500m'],
    ['a fraction without an integer part', '.5', '500m'],
    ['thousandths that make a whole', '1000m', '1'],
    ['thousandths that do not', '1500m', '1500m'],
    ['a thousand', '1000', '1k'],
    ['a hundred thousand', '100000', '100k'],
    ['a thousand thousands', '1000k', '1M'],
    ['a power of two without a suffix', '1024', '1024'],
    ['binary', '128Mi', '128Mi'],
    ['binary that fills the next suffix', '1024Ki', '1Mi'],
    ['binary just beside the next suffix', '1025Ki', '1025Ki'],
    ['binary with a fraction', '1.5Gi', '1536Mi'],
    ['negative binary', '-1.5Gi', '-1536Mi'],
    ['binary less than 1024', '0.5Ki', '512'],
    ['binary that leaves a fraction', '0.1Ki', '102400m'],
    ['binary less than one', '0.0001Ki', '102400u'],
    ['binary at the limit', '8Ei', '9223372036854775807'],
    ['negative binary at the limit', '-8Ei', '-9223372036854775807'],
    ['decimal beyond that limit', '12345678901234567890', '12345678901234567890'],
    ['an exponent', '1e3', '1e3'],
    ['a capital exponent', '1E3', '1E3'],
    ['an exponent that is not a multiple of three', '1e1', '10'],
    ['a negative exponent that is not a multiple of three', '1e-1', '100e-3'],
    ['a mantissa that uses up the exponent', '1.5e3', '1500'],
    ['a large exponent', '12e30', '12e30'],
    ['less than a billionth', '0.1n', '1n'],
    ['less than a billionth with an exponent', '1e-10', '1e-9'],
    ['more digits than a billionth has', '123456789.123456789123', '123456789123456790n'],
    ['a form that upstream considers canonical: three decimals', '1.500', '1.500'],
    ['a form that upstream considers canonical: a plus', '+1', '+1'],
    ['a form that upstream considers canonical: leading zeros', '01', '01'],
    ['a form that upstream considers canonical: a point', '5.', '5.'],
    ['a form that upstream considers canonical: thousands', '1.234k', '1.234k'],
    ['more than any suffix can represent', '1000E', '1'],
    ['spaces around', ' \u00a0128Mi\u3000 ', '128Mi'],
  ])('%s: %s', (_, text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
    // Again, from the cache.
    expect(canonicalQuantity(text)).toBe(canonical);
    expect(Quantity.parse(text.trim()).toString()).toBe(canonical);
  });

  it.each<[text: string, message: string]>([
    ['', formatWrong],
    ['abc', formatWrong],
    ['1x', formatWrong],
    ['1.2.3', formatWrong],
    ['1,000', formatWrong],
    ['0x10', formatWrong],
    ['1e1.5', formatWrong],
    ['\t1', formatWrong],
    ['1\n', formatWrong],
    ['1K', suffixWrong],
    ['1ki', suffixWrong],
    ['1e', suffixWrong],
    ['1m5', suffixWrong],
    ['--1', suffixWrong],
    ['1e9223372036854775808', suffixWrong],
    ['Pi', numberWrong],
    ['e-12', numberWrong],
  ])('refuses %j', (text, message) => {
    expect(() => canonicalQuantity(text)).toThrow(new Error(message));
  });

  it.each<[number | bigint, string]>([
    [1, '1'],
    [0.5, '500m'],
    [-0, '0'],
    [1000, '1k'],
    [1e21, '1e+21'],
    [9007199254740993n, '9007199254740993'],
  ])('reads the number %s', (value, canonical) => {
    expect(canonicalQuantity(value)).toBe(canonical);
  });

  it('agrees with Quantity.parse on every number of a few digits and every suffix', () => {
    const suffixes = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
    const numbers = [
      1, 8, 10, 99, 100, 512, 999, 1000, 1023, 1024, 1025, 2048, 4000, 9999, 10240, 123000, 9007199254740,
    ];
    for (const suffix of suffixes) {
      for (const number of numbers) {
        const text = `${number}${suffix}`;
        expect(canonicalQuantity(text), text).toBe(Quantity.parse(text).toString());
      }
    }
  });

  it('parses a text of a hundred thousand digits or zeros', () => {
    expect(canonicalQuantity(`1${'0'.repeat(1e5)}e3`)).toBe('10e100002');
    expect(canonicalQuantity(`0.${'0'.repeat(1e5)}1`)).toBe('1n');
    expect(canonicalQuantity(`0.${'1'.repeat(2e5)}`)).toBe('111111112n');
    expect(() => canonicalQuantity(`${'1'.repeat(1e5)}x`)).toThrow(formatWrong);
    expect(() => canonicalQuantity('1'.repeat(3e6))).toThrow('unable to parse numeric part of quantity');
  });
});
