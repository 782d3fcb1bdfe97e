import { describe, expect, it } from 'vitest';
import { exampleType } from '../schema/example-types.test-data.ts';
import { bytesOf } from './example-lookup.test-data.ts';
import { findStrictErrors, hasDuplicateKeys } from './strict-fields.ts';

const errorsOf = (type: string, json: string): string[] => findStrictErrors(json, exampleType(type));

it.each<[sentence: string, type: string, json: string, expected: string[]]>([
  [
    'reports unknown and duplicate fields in their order',
    'core.v1.Secret',
    '{"metadata":{"name":"a","foo":1,"name":"b"},"bar":{"x":1,"x":2},"metadata":{}}',
    [
      'unknown field "metadata.foo"',
      'duplicate field "metadata.name"',
      'unknown field "bar"',
      'duplicate field "metadata"',
    ],
  ],
  [
    'includes the indexes of list items',
    'core.v1.SecretList',
    '{"items":[{}, {"metadata" : {"ownerReferences":[{},{"zed":1}]}}]}',
    ['unknown field "items[1].metadata.ownerReferences[1].zed"'],
  ],
  ['finds duplicate keys in a map', 'core.v1.Secret', '{"data":{"a":"","b":"","a":""}}', ['duplicate field "data.a"']],
  ['is case-sensitive', 'core.v1.Secret', '{"Type":"x"}', ['unknown field "Type"']],
  [
    'reports each only once',
    'core.v1.Secret',
    '{"x":1,"x":2,"type":"","type":"","type":""}',
    ['unknown field "x"', 'duplicate field "type"'],
  ],
  ['compares keys, not their spelling', 'core.v1.Secret', '{"type":"","\\u0074ype":""}', ['duplicate field "type"']],
  ['does not look into embedded objects', 'apps.v1.ControllerRevision', '{"data":{"a":1,"a":2}}', []],
  [
    'does not look into types with a JSON decoder of their own',
    'apiextensions.v1.JSONSchemaProps',
    '{"items":{"foo":1}}',
    [],
  ],
  [
    'looks into nested JSON schemas',
    'apiextensions.v1.JSONSchemaProps',
    '{"not":{"foo":1}}',
    ['unknown field "not.foo"'],
  ],
  ['quotes field names', 'core.v1.Secret', '{"a\\"b\\n":1}', ['unknown field "a\\"b\\n"']],
  [
    'finds the fields of inlined structs',
    'core.v1.SecretKeySelector',
    '{"name":"a","localObjectReference":{}}',
    ['unknown field "localObjectReference"'],
  ],
  [
    'treats __proto__ as an ordinary key',
    'core.v1.Secret',
    '{"__proto__":1,"constructor":2}',
    ['unknown field "__proto__"', 'unknown field "constructor"'],
  ],
])('%s', (_, type, json, expected) => {
  expect(errorsOf(type, json)).toEqual(expected);
});

it('reports at most a hundred errors', () => {
  const json = JSON.stringify(Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, i])));
  expect(errorsOf('core.v1.Secret', json)).toHaveLength(100);
});

it('finds duplicates without a schema', () => {
  expect(findStrictErrors('{"a":[{"b":1,"b":2}],"c":{"a":1},"a":3}', undefined)).toEqual([
    'duplicate field "a[0].b"',
    'duplicate field "a"',
  ]);
});

describe('the quick check for duplicates', () => {
  it.each([
    ['{"a":1,"b":{"a":[{"a":":"}]}}', false],
    ['{"a":"\\"x\\":","b\\\\":":"}', false],
    ['{"a":1,"a":1}', true],
    ['[{"a":{"b":1 , "b" : 2}}]', true],
    ['{"a":1,"\\u0061":1}', true],
  ])('%s: %s', (json, expected) => {
    expect(hasDuplicateKeys(bytesOf(json), JSON.parse(json))).toBe(expected);
  });
});
