import { expect, it } from 'vitest';
import { throwFailures } from './throw-failures.ts';

it.each<[sentence: string, failures: string[], message: string]>([
  ['itself', ['a'], 'a'],
  ['all of them', ['a', 'b'], '[a, b]'],
  ['what they say once', ['a', 'a'], 'a'],
  ['each once', ['a', 'b', 'a'], '[a, b]'],
])('a failure among others is told: %s', (_, failures, message) => {
  expect(() => throwFailures(failures.map((text) => new Error(text)))).toThrow(expect.objectContaining({ message }));
});

it('nothing is thrown when nothing failed', () => {
  expect(throwFailures([])).toBeUndefined();
});
