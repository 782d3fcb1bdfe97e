import { describe, expect, it } from 'vitest';
import { Path } from '../field/index.ts';
import { validateImmutableField, validateNonnegativeField } from './immutable.ts';
import { semanticEqual } from './semantic-equal.ts';

describe('semanticEqual', () => {
  it.each<[why: string, a: unknown, b: unknown, equal: boolean]>([
    ['scalars', 1, 1, true],
    ['scalars of different types', 1, '1', false],
    ['absent and null', undefined, null, true],
    ['absent and an empty list', undefined, [], true],
    ['absent and a list', undefined, [undefined], false],
    ['absent and an empty object', undefined, {}, false],
    ['absent and false', undefined, false, false],
    ['an absent key and an empty list', {}, { a: [] }, true],
    ['an absent key and a value', { a: 1 }, { a: 1, b: 2 }, false],
    ['keys in another order', { a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, true],
    ['items in another order', [1, 2], [2, 1], false],
    ['a list and an object', [], {}, false],
    ['lists of different lengths', [1], [1, 2], false],
    ['an inherited name', { toString: undefined }, {}, true],
    ['an own key named like an inherited one', JSON.parse('{"__proto__":1}'), {}, false],
    ['big integers', 2n ** 60n, 2n ** 60n, true],
  ])('%s', (_, a, b, equal) => {
    expect(semanticEqual(a, b)).toBe(equal);
    expect(semanticEqual(b, a)).toBe(equal);
  });

  it('compares values of any depth', () => {
    const nest = (leaf: unknown): unknown => {
      let value = leaf;
      for (let i = 0; i < 100_000; i++) value = { a: [value] };
      return value;
    };
    expect(semanticEqual(nest(1), nest(1))).toBe(true);
    expect(semanticEqual(nest(1), nest(2))).toBe(false);
  });
});

describe('validateImmutableField', () => {
  it('prints the new value', () => {
    const path = Path.of('spec', 'selector');
    expect(validateImmutableField({ a: 1 }, { a: 1 }, path)).toEqual([]);
    expect(validateImmutableField({ a: 1 }, { a: 2 }, path).map(String)).toEqual([
      'spec.selector: Invalid value: {"a":1}: field is immutable',
    ]);
    expect(validateImmutableField(undefined, 'x', path).map(String)).toEqual([
      'spec.selector: Invalid value: null: field is immutable',
    ]);
  });
});

describe('validateNonnegativeField', () => {
  it('treats absent as zero', () => {
    const path = Path.of('replicas');
    expect([validateNonnegativeField(undefined, path), validateNonnegativeField(0n, path)].flat()).toEqual([]);
    expect(validateNonnegativeField(-1, path).map(String)).toEqual([
      'replicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});
