import { expect, it } from 'vitest';
import { isObject } from './object.ts';

it.each([
  [{ apiVersion: 'v1', kind: 'Pod' }, true],
  [{ apiVersion: 'v1' }, false],
  [{ kind: 'Pod' }, false],
  [{ apiVersion: '', kind: 'Pod' }, false],
  [{ apiVersion: 'v1', kind: 1 }, false],
  [[], false],
  [null, false],
  ['v1', false],
])('detects whether %j is an object', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
