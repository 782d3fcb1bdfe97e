import { describe, expect, it } from 'vitest';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { newStructural } from './new-structural.ts';
import { validateUniqueLists } from './unique-lists.ts';

const list = (type: string, items: JSONSchemaProps, keys?: string[]): JSONSchemaProps => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': type,
  ...(keys && { 'x-kubernetes-list-map-keys': keys }),
});

const problems = (schema: JSONSchemaProps, value: unknown): string[] =>
  validateUniqueLists({ l: value }, newStructural({ type: 'object', properties: { l: schema } })).map(String);

describe('items of a set', () => {
  it('are equal regardless of the order of their keys', () => {
    const set = list('set', { type: 'object' });
    expect(problems(set, [{ a: 1, b: [2] }, { b: [2], a: 1 }, { a: 1 }])).toEqual([
      'l[1]: Duplicate value: {"a":1,"b":[2]}',
    ]);
  });

  it('differ from strings with the same text', () => {
    expect(problems(list('set', {}), ['{}', {}, 1, '1', null, 'null'])).toEqual([]);
  });

  it('are reported once, however often they are repeated', () => {
    expect(problems(list('set', { type: 'string' }), ['a', 'a', 'a', 'a'])).toEqual(['l[1]: Duplicate value: "a"']);
  });
});

describe('items of a map', () => {
  const map = list('map', { type: 'object' }, ['k', 'p']);

  it('are equal when the values of their keys are', () => {
    expect(problems(map, [{ k: 'a', p: 1 }, { k: 'a' }, { k: 'a', p: 1, v: 2 }, { k: 'a' }])).toEqual([
      'l[2]: Duplicate value: {"k":"a","p":1}',
      'l[3]: Duplicate value: {"k":"a"}',
    ]);
  });

  it('are equal when all of them lack every key', () => {
    expect(problems(list('map', {}, ['k']), [{}, null, { k: 1 }])).toEqual(['l[1]: Duplicate value: {}']);
  });

  it('do not have inherited keys', () => {
    expect(problems(list('map', {}, ['constructor']), [{}, { constructor: 'a' }])).toEqual([]);
  });

  it('must be objects', () => {
    expect(problems(map, [{ k: 'a' }, 5])).toEqual([
      'l[1]: Invalid value: 5: must be an object for an array of list-type map',
    ]);
  });
});
