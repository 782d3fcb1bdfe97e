import { expect, it } from 'vitest';
import { hasMoreJsonParts, hasMoreParts } from './parts.ts';

it.each<[json: string, parts: number]>([
  ['[1,2,3]', 3],
  ['{"a":1,"b":"x,[{","c\\",":2}', 3],
  ['[{},{},[]]', 6],
  ['{"a":{"b":[1,2]}}', 4],
  ['[[[[[[', 6],
])('counts the parts of %s', (json, parts) => {
  const bytes = Buffer.from(json.padEnd(100));
  expect(hasMoreJsonParts(bytes, parts)).toBe(false);
  expect(hasMoreJsonParts(bytes, parts - 1)).toBe(true);
});

it('does not scan a text that is too short for more parts', () => {
  expect(hasMoreJsonParts(Buffer.from('[[[['), 4)).toBe(false);
});

it.each<[value: unknown, parts: number]>([
  ['x', 1],
  [[1, 2, {}, []], 6],
  [{ a: 1, b: { c: [] } }, 6],
])('counts the parts of a value', (value, parts) => {
  expect(hasMoreParts(value, parts)).toBe(false);
  expect(hasMoreParts(value, parts - 1)).toBe(true);
});
