import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalDuration, durationToMs, formatDuration, parseDuration } from './duration.ts';

describe('durations', () => {
  it.each<[text: string, nanoseconds: bigint, canonical: string]>([
    ['0', 0n, '0s'],
    ['0s', 0n, '0s'],
    ['1h', 3_600_000_000_000n, '1h0m0s'],
    ['90m', 5_400_000_000_000n, '1h30m0s'],
    ['36h', 129_600_000_000_000n, '36h0m0s'],
    ['1.5s', 1_500_000_000n, '1.5s'],
    ['.5s', 500_000_000n, '500ms'],
    ['1.s', 1_000_000_000n, '1s'],
    ['300ms', 300_000_000n, '300ms'],
    ['1us', 1_000n, '1µs'],
    ['1\u03bcs', 1_000n, '1µs'],
    ['1500ns', 1_500n, '1.5µs'],
    ['-1m', -60_000_000_000n, '-1m0s'],
    ['+5s', 5_000_000_000n, '5s'],
    ['1h1m1.001s', 3_661_001_000_000n, '1h1m1.001s'],
    ['0.000000001s', 1n, '1ns'],
    ['0.3333333333333333333h', 1_200_000_000_000n, '20m0s'],
    ['2562047h47m16.854775807s', 2n ** 63n - 1n, '2562047h47m16.854775807s'],
    ['-9223372036854775808ns', -(2n ** 63n), '-2562047h47m16.854775808s'],
  ])('%s', (text, nanoseconds, canonical) => {
    expect(parseDuration(text)).toBe(nanoseconds);
    expect(canonicalDuration(text)).toBe(canonical);
  });

  it.each<[text: string, message: string]>([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['x', 'time: invalid duration "x"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1', 'time: missing unit in duration "1"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1h 30m', 'time: unknown unit "h " in duration "1h 30m"'],
    ['1é', 'time: unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
  ])('refuses %j', (text, message) => {
    expect(() => parseDuration(text)).toThrow(new Error(message));
  });

  it('are the same after printing and parsing', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
        expect(parseDuration(formatDuration(nanoseconds))).toBe(nanoseconds);
      }),
    );
  });

  it('can be converted to milliseconds', () => {
    expect(durationToMs('1m30.5s')).toBe(90_500);
    expect(formatDuration(1_500_000_000)).toBe('1.5s');
  });
});
