import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDepthError } from '../json/index.ts';
import { pollutingKeys } from '../json/json.test-data.ts';
import { applyMergePatch, createMergePatch, mergeMergePatches } from './merge-patch.ts';
import { expectOutcome, loadCases, type Outcome } from './patch.test-data.ts';

/** The appendix of RFC 7386 and more, with the results and errors of upstream's library. */
const cases = loadCases<{ document: unknown; patch: unknown } & Outcome>('merge-patch');

it.each(cases)('%s', (_, { document, patch, ...outcome }) => {
  expectOutcome([document, patch], () => applyMergePatch(document, patch), outcome);
});

describe('mergeMergePatches', () => {
  const cases = loadCases<{ first: unknown; second: unknown } & Outcome>('merge-merge-patches');

  it.each(cases)('%s', (_, { first, second, ...outcome }) => {
    expectOutcome([first, second], () => mergeMergePatches(first, second), outcome);
  });
});

it('throws with code 400 for malformed patches', () => {
  expect(() => applyMergePatch({}, 'x')).toThrow(expect.objectContaining({ code: 400 }));
});

it('treats __proto__ as an ordinary key', () => {
  const result = applyMergePatch({ a: 1 }, pollutingKeys());
  expect(JSON.stringify(result)).toBe(
    '{"a":{},"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  );
  expect({}).not.toHaveProperty('polluted');
  expect(applyMergePatch({}, { toString: null })).toEqual({});
});

it('refuses patches that are nested too deeply', () => {
  let patch: Record<string, unknown> = {};
  for (let i = 0; i < 5000; i++) patch = { a: patch };
  expect(() => applyMergePatch({}, patch)).toThrow(JsonDepthError);
  expect(() => createMergePatch({}, patch)).toThrow(JsonDepthError);
});

describe('laws', () => {
  const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const scalar = fc.oneof(fc.integer(), fc.string(), fc.boolean());
  const { withoutNull, patch } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, scalar, tie('withoutNull'), fc.array(tie('value'), { maxLength: 3 })),
    withoutNull: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    // Not with nulls inside lists: what upstream does with those depends on what the list replaces.
    patch: fc.dictionary(key, fc.oneof({ maxDepth: 4 }, fc.constant(null), tie('value'), tie('patch')), { maxKeys: 4 }),
  }));
  const object = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value));
  const json = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue({ maxDepth: 3 }));

  it('applying a created patch gives the other object', () => {
    fc.assert(
      fc.property(json, withoutNull, (from, to) => {
        expect(applyMergePatch(from, createMergePatch(from, object(to)))).toEqual(object(to));
      }),
    );
  });

  it('applying twice is applying once', () => {
    fc.assert(
      fc.property(json, patch, (document, change) => {
        const once = applyMergePatch(document, change);
        expect(applyMergePatch(once, change)).toEqual(once);
      }),
    );
  });

  it('the patch between equal objects is empty', () => {
    fc.assert(
      fc.property(json, (document) => {
        expect(createMergePatch(document, document)).toEqual({});
      }),
    );
  });

  it('inputs are not modified', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const before = JSON.stringify([a, b]);
        applyMergePatch(a, b);
        createMergePatch(a, b);
        mergeMergePatches(a, b);
        expect(JSON.stringify([a, b])).toBe(before);
      }),
    );
  });
});
