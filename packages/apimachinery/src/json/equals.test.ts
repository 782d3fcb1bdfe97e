import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson } from './clone.ts';
import { JsonDepthError } from './depth.ts';
import { jsonEquals } from './equals.ts';
import { nested, pollutingKeys } from './json.test-data.ts';

const json = fc.jsonValue({ maxDepth: 4 });

/** Returns the value with its keys in another order at every level. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

it('is true for copies, whatever the order of keys', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(jsonEquals(value, cloneJson(value))).toBe(true);
      expect(jsonEquals(value, reversed(value))).toBe(true);
    }),
  );
});

it('agrees with a comparison of canonical text', () => {
  const canonical = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    );
  const small = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', 'b') });
  fc.assert(
    fc.property(small, small, (a, b) => {
      expect(jsonEquals(a, b)).toBe(canonical(a) === canonical(b));
    }),
    { numRuns: 500 },
  );
});

describe('distinguishes', () => {
  it.each<[string, unknown, unknown]>([
    ['null and undefined', null, undefined],
    ['null and an object', null, {}],
    ['a list and an object', [], {}],
    ['lists of other lengths', [1], [1, 2]],
    ['objects with more keys', { a: 1 }, { a: 1, b: 2 }],
    ['objects with fewer keys', { a: 1, b: 2 }, { a: 1 }],
    ['other keys', { a: 1 }, { b: 1 }],
    ['numbers and bigints', 1, 1n],
    ['an inherited key and an own one', { constructor: Object }, {}],
    ['__proto__ as data', pollutingKeys(), { ...pollutingKeys(), a: {} }],
    ['an absent key and an undefined one', {}, { a: undefined }],
  ])('%s', (_, a, b) => {
    expect(jsonEquals(a, b)).toBe(false);
    expect(jsonEquals(b, a)).toBe(false);
  });
});

it('treats undefined as absent with undefinedIsAbsent', () => {
  const options = { undefinedIsAbsent: true };
  expect(jsonEquals({ a: { b: undefined } }, { a: {} }, options)).toBe(true);
  expect(jsonEquals({ a: {}, c: undefined }, { a: { b: undefined } }, options)).toBe(true);
  expect(jsonEquals({ a: undefined, b: 1 }, { a: 1, b: undefined }, options)).toBe(false);
  expect(jsonEquals({ a: null }, {}, options)).toBe(false);
});

it('refuses values nested too deeply', () => {
  expect(() => jsonEquals(nested(1_000_000), nested(1_000_000))).toThrow(JsonDepthError);
});

it('compares bigints by value', () => {
  expect(jsonEquals({ a: 2n ** 60n }, { a: 2n ** 60n })).toBe(true);
  expect(jsonEquals({ a: 2n ** 60n }, { a: 2n ** 60n + 1n })).toBe(false);
});
