import { describe, expect, it } from 'vitest';
import {
  aggregate,
  checkField,
  checkRequiredField,
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  invalidEach,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
} from './error.ts';
import { Path } from './path.ts';

const path = Path.of('spec');

describe('FieldError', () => {
  it.each<[text: string, error: unknown]>([
    ['spec: Required value', required(path)],
    ['spec: Required value: must be set', required(path, 'must be set')],
    ['spec: Duplicate value: "a"', duplicate(path, 'a')],
    ['spec: Not found: "a"', notFound(path, 'a')],
    ['spec: Forbidden: no', forbidden(path, 'no')],
    ['spec: Invalid value: "a\\"\\n": is bad', invalid(path, 'a"\n', 'is bad')],
    ['spec: Invalid value: -1: is bad', invalid(path, -1, 'is bad')],
    ['spec: Invalid value: 9007199254740993: is bad', invalid(path, 2n ** 53n + 1n, 'is bad')],
    ['spec: Invalid value: null: is bad', invalid(path, undefined, 'is bad')],
    ['spec: Invalid value: [{"a":"\\u003c","b":null}]: is bad', invalid(path, [{ a: '<', b: null }], 'is bad')],
    ['spec: Invalid value: {"a":9007199254740993}: is bad', invalid(path, { a: 2n ** 53n + 1n }, 'is bad')],
    ['<nil>: Invalid value: "": is bad', invalid(undefined, '', 'is bad')],
    ['spec: Unsupported value: "c": supported values: "a", "b"', notSupported(path, 'c', ['a', 'b'])],
    ['spec: Too long: may not be more than 1 byte', tooLong(path, 1)],
    ['spec: Too many: 3: must have at most 2 items', tooMany(path, 3, 2)],
  ])('%s', (text, error) => {
    expect(String(error)).toBe(text);
  });
});

describe('lists of errors', () => {
  const isShort = (value: string): string[] => (value.length > 1 ? ['is long', 'is very long'] : []);

  it('get one error for each message', () => {
    const errors: ErrorList = [required(path)];
    expect(invalidEach(path, 'ab', isShort('ab'), errors)).toBe(errors);
    checkField(path, 'name', 'cd', isShort, errors);
    checkField(path, 'name', 'e', isShort, errors);
    checkField(path, 'name', '', isShort, errors);
    checkRequiredField(path, 'name', 'fg', isShort, errors);
    checkRequiredField(path, 'name', '', isShort, errors);
    checkRequiredField(path, 'name', undefined, isShort, errors);
    expect(errors.map(String)).toEqual([
      'spec: Required value',
      'spec: Invalid value: "ab": is long',
      'spec: Invalid value: "ab": is very long',
      'spec.name: Invalid value: "cd": is long',
      'spec.name: Invalid value: "cd": is very long',
      'spec.name: Invalid value: "fg": is long',
      'spec.name: Invalid value: "fg": is very long',
      'spec.name: Required value',
      'spec.name: Required value',
    ]);
  });

  it('are created when none is given', () => {
    expect(invalidEach(path, 'a', ['is bad'])).toHaveLength(1);
    expect(invalidEach(path, 'a', [])).toEqual([]);
  });

  it('are printed as one message', () => {
    expect(aggregate([])).toBe('');
    expect(aggregate([required(path)])).toBe('spec: Required value');
    expect(aggregate([required(path), required(path), notFound(path, 'a')])).toBe(
      '[spec: Required value, spec: Not found: "a"]',
    );
  });
});
