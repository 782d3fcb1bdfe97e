import { expect, it } from 'vitest';
import type { JsonObject } from '../json/go-value.ts';
import { expectOutcome, kubectlPreconditions, loadCases, type Outcome } from './patch.test-data.ts';
import { PreconditionFailedError } from './patch-error.ts';
import { createThreeWayJsonMergePatch, hasConflicts } from './three-way-json-merge.ts';

interface ThreeWayCase extends Outcome {
  original?: JsonObject;
  modified: JsonObject;
  current: JsonObject;
}

/** The results and errors are upstream's. */
const cases = loadCases<ThreeWayCase>('three-way-json-merge');

it.each(cases)('%s', (_, { original, modified, current, ...outcome }) => {
  expectOutcome(
    [original, modified, current],
    () => createThreeWayJsonMergePatch(original, modified, current, kubectlPreconditions),
    outcome,
  );
});

it('has a plain error for failed preconditions, unlike the strategic merge', () => {
  expect(() => createThreeWayJsonMergePatch({}, { kind: 'B' }, { kind: 'A' }, kubectlPreconditions)).not.toThrow(
    PreconditionFailedError,
  );
});

it.each([
  ['equal scalars', 1, 1, false],
  ['different scalars', 1, 2, true],
  ['a scalar and null', 1, null, true],
  ['objects with different keys', { a: 1 }, { b: 1 }, false],
  ['objects that differ in a common key', { a: 1, b: 1 }, { a: 2 }, true],
  ['an object and a list', {}, [], true],
  ['equal lists', [{ a: 1 }], [{ a: 1 }], false],
  ['lists whose items do not conflict', [{ a: 1 }], [{ b: 1 }], false],
  ['lists of different length', [1], [1, 2], true],
  ['a list and a scalar', [1], 1, true],
])('finds whether there is a conflict between %s', (_, left, right, conflict) => {
  expect(hasConflicts(left, right)).toBe(conflict);
  expect(hasConflicts(right, left)).toBe(conflict);
});
