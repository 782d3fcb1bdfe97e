import { describe, expect, it } from 'vitest';
import { CelEnvironment } from '../environment/environment.ts';
import { celEquals } from './equality.ts';
import { fromJson, toJson, type ValueSchema } from './json-adapter.ts';
import { DYN } from './types.ts';
import { CelError, Duration, Timestamp } from './values.ts';

const string: ValueSchema = { kind: 'string' };
const int: ValueSchema = { kind: 'int' };

const entry: ValueSchema = { kind: 'object', field: (name) => ({ name: string, value: int })[name] };
const set: ValueSchema = { kind: 'list', items: string, listType: 'set' };
const byName: ValueSchema = { kind: 'list', items: entry, listType: 'map', listMapKeys: ['name'] };

describe('fromJson', () => {
  it.each<[string, unknown, ValueSchema, unknown]>([
    ['a number of an integer schema is an int', 3, int, 3n],
    ['a number of a number schema is a double', 3, { kind: 'double' }, 3],
    ['an int or string is what it looks like', 80, { kind: 'intOrString' }, 80n],
    ['an int or string can be a string', '80%', { kind: 'intOrString' }, '80%'],
    ['a date-time is a timestamp', '1970-01-01T00:00:01Z', { kind: 'timestamp' }, new Timestamp(1, 0)],
    ['a date is a timestamp', '1970-01-02', { kind: 'date' }, new Timestamp(86_400, 0)],
    ['a duration is a duration', '1.5s', { kind: 'duration' }, new Duration(1_500_000_000n)],
    ['base64 is bytes', 'YWJj', { kind: 'bytes' }, new Uint8Array([97, 98, 99])],
    ['null is allowed if nullable', null, { kind: 'string', nullable: true }, null],
    ['a whole number without a schema is an int', 3, { kind: 'dyn' }, 3n],
    ['another number without a schema is a double', 3.5, { kind: 'dyn' }, 3.5],
  ])('%s', (_title, json, schema, expected) => {
    expect(fromJson(json, schema)).toEqual(expected);
  });

  it.each<[unknown, ValueSchema, string]>([
    [null, string, 'invalid data, got null for schema with nullable=false'],
    [1, string, 'invalid data, expected string, got int64'],
    ['a', int, 'invalid data, expected int, got string'],
    [1.5, { kind: 'bool' }, 'invalid data, expected bool, got float64'],
    [true, { kind: 'intOrString' }, 'invalid data, expected XIntOrString value to be either a string or integer'],
    [[], entry, 'invalid data, expected a map for the provided schema with type=object'],
    [{}, set, 'invalid data, expected an array for the provided schema with type=array'],
  ])('refuses %j for another schema', (json, schema, message) => {
    expect(() => fromJson(json, schema)).toThrow(expect.objectContaining({ message }) as Error);
  });

  it('shows only declared fields, under the names that expressions use', () => {
    const schema: ValueSchema = {
      kind: 'object',
      field: (name) => (name === 'namespace' ? string : undefined),
      unescape: (name) => (name === '__namespace__' ? 'namespace' : name),
      escape: (name) => (name === 'namespace' ? '__namespace__' : name),
    };
    const environment = new CelEnvironment({ variables: { self: DYN } });
    const bindings = new Map([['self', fromJson({ namespace: 'ns', other: 1 }, schema)]]);
    const evaluate = (text: string) => environment.compile(text).program().evaluate(bindings);
    expect(evaluate('self.__namespace__').value).toBe('ns');
    expect(evaluate('has(self.other)').value).toBe(false);
    expect(evaluate('self.exists(k, k == "__namespace__")').value).toBe(true);
  });
});

describe('lists with a list type', () => {
  it.each<[string, unknown, unknown, ValueSchema, boolean]>([
    ['sets are equal in any order', ['a', 'b'], ['b', 'a'], set, true],
    ['sets with other elements differ', ['a', 'b'], ['a', 'c'], set, false],
    ['atomic lists have an order', ['a', 'b'], ['b', 'a'], { ...set, listType: 'atomic' }, false],
    ['maps are equal in any order', [{ name: 'a' }, { name: 'b' }], [{ name: 'b' }, { name: 'a' }], byName, true],
    ['maps with another value differ', [{ name: 'a', value: 1 }], [{ name: 'a', value: 2 }], byName, false],
  ])('%s', (_title, a, b, schema, expected) => {
    expect(celEquals(fromJson(a, schema), fromJson(b, schema))).toBe(expected);
  });

  it.each<[string, unknown, unknown, ValueSchema, unknown]>([
    ['a sum of sets is their union', ['a', 'b'], ['b', 'c'], set, ['a', 'b', 'c']],
    [
      'a sum of sets compares integers beyond 2^53 exactly',
      [9_007_199_254_740_993n, 1],
      [9_007_199_254_740_993n, 9_007_199_254_740_995n],
      { kind: 'list', items: int, listType: 'set' },
      [9_007_199_254_740_993n, 1, 9_007_199_254_740_995n],
    ],
    [
      'a sum of maps replaces an element in place by the later one',
      [{ name: 'a', value: 1 }, { name: 'b' }],
      [{ name: 'a', value: 2 }],
      byName,
      [{ name: 'a', value: 2 }, { name: 'b' }],
    ],
    ['other lists are concatenated', ['a'], ['a'], { kind: 'list', items: string }, ['a', 'a']],
  ])('%s', (_title, a, b, schema, expected) => {
    const environment = new CelEnvironment({ variables: { a: DYN, b: DYN } });
    const bindings = new Map([
      ['a', fromJson(a, schema)],
      ['b', fromJson(b, schema)],
    ]);
    const { value } = environment.compile('a + b').program().evaluate(bindings);
    expect(toJson(value ?? null)).toEqual(expected);
  });
});

describe('toJson', () => {
  const evaluate = (text: string) =>
    toJson(new CelEnvironment().compile(text).program().evaluate(new Map()).value ?? null);

  it('copies values into plain data', () => {
    expect(evaluate("{'a': dyn([dyn(1), dyn(2u), dyn(1.5), dyn(b'a'), dyn(null)])}")).toEqual({
      a: [1, 2, 1.5, 'YQ==', null],
    });
  });

  it('keeps integers that a double cannot hold', () => {
    expect(evaluate('9007199254740993')).toBe(9_007_199_254_740_993n);
  });

  it('writes __proto__ as an ordinary key', () => {
    const copy = evaluate("{'__proto__': 1}");
    expect(Object.entries(copy as object)).toEqual([['__proto__', 1]]);
  });

  it('refuses keys that are not strings', () => {
    expect(() => evaluate('{1: 2}')).toThrow(expect.any(CelError) as Error);
  });
});
