import { expect, it } from 'vitest';
import { throwFailures } from './throw-failures.ts';

it.each<[sentence: string, failures: string[], message: string]>([
  ['a single failure as it is', ['a'], 'a'],
  ['an aggregate of several', ['a', 'b'], '[a, b]'],
  ['an aggregate with the common message once', ['a', 'a'], 'a'],
  ['an aggregate with each distinct message once', ['a', 'b', 'a'], '[a, b]'],
])('throwFailures throws %s', (_, failures, message) => {
  expect(() => throwFailures(failures.map((text) => new Error(text)))).toThrow(expect.objectContaining({ message }));
});

it('nothing is thrown when nothing failed', () => {
  expect(throwFailures([])).toBeUndefined();
});
