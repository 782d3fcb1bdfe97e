import { expect, it } from 'vitest';
import { trim, trimRight } from './trim.ts';

it.each([
  ['', '', ''],
  ['   ', '', ''],
  [' a b ', 'a b', ' a b'],
  ['a', 'a', 'a'],
])('%j is trimmed at its ends', (text, both, right) => {
  expect(trim(text)).toBe(both);
  expect(trimRight(text)).toBe(right);
});

it('trims other characters', () => {
  expect(trim('\t a\t', ' \t')).toBe('a');
  expect(trimRight('/a//', '/')).toBe('/a');
});

it('is as fast for many that are not at the end', () => {
  const text = `${' '.repeat(3_000_000)}x`;
  expect(trimRight(text)).toBe(text);
  expect(trim(text)).toBe('x');
});
