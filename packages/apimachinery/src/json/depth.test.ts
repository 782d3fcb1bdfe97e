import { expect, it } from 'vitest';
import { assertJsonDepth, JsonDepthError } from './depth.ts';
import { nested } from './json.test-data.ts';

it.each([
  ['a scalar', 1, 0],
  ['an empty list', [], 1],
  ['an object in a list in an object', { a: [{}] }, 3],
  ['the deepest of several branches', [[], [[[]]], []], 4],
])('measures %s', (_, value, depth) => {
  expect(() => assertJsonDepth(value, depth)).not.toThrow();
  if (depth > 0) expect(() => assertJsonDepth(value, depth - 1)).toThrow(JsonDepthError);
});

it('survives a million levels and cycles', () => {
  expect(() => assertJsonDepth(nested(1_000_000))).toThrow(JsonDepthError);
  const cyclic: unknown[] = [];
  cyclic.push(cyclic, cyclic);
  expect(() => assertJsonDepth(cyclic)).toThrow(JsonDepthError);
});
