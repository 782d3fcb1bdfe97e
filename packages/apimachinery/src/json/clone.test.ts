import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cloneJson } from './clone.ts';
import { JsonDepthError, MAX_JSON_DEPTH } from './depth.ts';
import { jsonEquals } from './equals.ts';
import { nested, pollutingKeys } from './json.test-data.ts';

const json = fc.jsonValue({ maxDepth: 5 });

/** Returns every object and list inside the value, itself included. */
function containers(value: unknown): object[] {
  return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(containers)] : [];
}

it('is equal and shares nothing', () => {
  fc.assert(
    fc.property(json, (value) => {
      const copy = cloneJson(value);
      expect(copy).toEqual(value);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      const originals = new Set(containers(value));
      expect(containers(copy).filter((container) => originals.has(container))).toEqual([]);
    }),
  );
});

it('keeps bigints and undefined', () => {
  const value = { a: 2n ** 63n - 1n, b: undefined, c: [undefined] };
  expect(cloneJson(value)).toStrictEqual(value);
});

it('keeps __proto__ and constructor as data', () => {
  const copy = cloneJson(pollutingKeys());
  expect(JSON.stringify(copy)).toBe(JSON.stringify(pollutingKeys()));
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(jsonEquals(copy, pollutingKeys())).toBe(true);
  expect({}).not.toHaveProperty('polluted');
});

it('copies up to the maximum depth only', () => {
  expect(jsonEquals(cloneJson(nested(MAX_JSON_DEPTH)), nested(MAX_JSON_DEPTH))).toBe(true);
  expect(() => cloneJson(nested(MAX_JSON_DEPTH + 1))).toThrow(JsonDepthError);
  expect(() => cloneJson(nested(1_000_000))).toThrow('exceeded max depth');
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  expect(() => cloneJson(cyclic)).toThrow(JsonDepthError);
});
