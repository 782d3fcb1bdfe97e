import { expect, it } from 'vitest';
import { toMs } from './to-ms.ts';

it.each([
  [1500, 1500],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['365d', 31_536_000_000],
  ['2d1h', 176_400_000],
  ['0', 0],
])('%s is %d milliseconds', (span, ms) => {
  expect(toMs(span)).toBe(ms);
});

it.each(['', '1', '5 minutes', '1d2'])('%j is invalid', (span) => {
  expect(() => toMs(span)).toThrow(/^time: (invalid duration|missing unit|unknown unit)/);
});

it.each([-1, Number.NaN, '-5s'])('%j is rejected as negative', (span) => {
  expect(() => toMs(span)).toThrow(`a span of time must not be negative: ${span}`);
});
