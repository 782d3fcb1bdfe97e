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
  it('are the same when they hold the same, in whatever order', () => {
    const set = list('set', { type: 'object' });
    expect(problems(set, [{ a: 1, b: [2] }, { b: [2], a: 1 }, { a: 1 }])).toEqual([
      'l[1]: Duplicate value: {"a":1,"b":[2]}',
    ]);
  });

  it('are told apart from texts that look like them', () => {
    expect(problems(list('set', {}), ['{}', {}, 1, '1', null, 'null'])).toEqual([]);
  });

  it('are reported once, however often they come', () => {
    expect(problems(list('set', { type: 'string' }), ['a', 'a', 'a', 'a'])).toEqual(['l[1]: Duplicate value: "a"']);
  });
});

describe('items of a map', () => {
  const map = list('map', { type: 'object' }, ['k', 'p']);

  it('are the same when their keys are', () => {
    expect(problems(map, [{ k: 'a', p: 1 }, { k: 'a' }, { k: 'a', p: 1, v: 2 }, { k: 'a' }])).toEqual([
      'l[2]: Duplicate value: {"k":"a","p":1}',
      'l[3]: Duplicate value: {"k":"a"}',
    ]);
  });

  it('are the same without any key', () => {
    expect(problems(list('map', {}, ['k']), [{}, null, { k: 1 }])).toEqual(['l[1]: Duplicate value: {}']);
  });

  it('have no keys but their own', () => {
    expect(problems(list('map', {}, ['constructor']), [{}, { constructor: 'a' }])).toEqual([]);
  });

  it('must be objects', () => {
    expect(problems(map, [{ k: 'a' }, 5])).toEqual([
      'l[1]: Invalid value: 5: must be an object for an array of list-type map',
    ]);
  });
});
