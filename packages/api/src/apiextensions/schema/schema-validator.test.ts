import { Path } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { compileSchemaValidator } from './schema-validator.ts';

const problems = (schema: JSONSchemaProps, value: unknown): string[] =>
  compileSchemaValidator(schema)(value, Path.of('spec')).map(String);

const string: JSONSchemaProps = { type: 'string' };

describe('validation of a value against its schema', () => {
  it('accepts null only where the schema is nullable', () => {
    expect(problems(string, null)).toEqual(['spec: Invalid value: "null":  in body must be of type string: "null"']);
    expect(problems({ ...string, nullable: true }, null)).toEqual([]);
  });

  it('accepts only integers and strings for int-or-string', () => {
    const schema: JSONSchemaProps = { 'x-kubernetes-int-or-string': true };
    expect(problems(schema, 5)).toEqual([]);
    expect(problems(schema, '5%')).toEqual([]);
    expect(problems(schema, true)).toEqual([
      'spec: Invalid value: "boolean":  in body must be of type integer,string: "boolean"',
    ]);
  });

  it('reports errors with the path from the root', () => {
    const schema: JSONSchemaProps = {
      type: 'object',
      required: ['b'],
      properties: { a: { type: 'array', items: { type: 'object', required: ['c'], properties: { c: string } } } },
    };
    expect(problems(schema, { a: [{}, { c: 1 }] })).toEqual([
      'spec.a[0].c: Required value',
      'spec.a[1].c: Invalid value: "integer": a[1].c in body must be of type string: "integer"',
      'spec.b: Required value',
    ]);
  });

  it('ignores inherited properties', () => {
    const schema: JSONSchemaProps = { type: 'object', required: ['constructor'], properties: {} };
    expect(problems(schema, {})).toEqual(['spec.constructor: Required value']);
    expect(problems({ type: 'object', additionalProperties: string }, JSON.parse('{"__proto__": 1}'))).toEqual([
      'spec.__proto__: Invalid value: "integer": .__proto__ in body must be of type string: "integer"',
    ]);
  });
});

describe('validation of an update', () => {
  const short: JSONSchemaProps = { ...string, maxLength: 2 };
  const schema: JSONSchemaProps = {
    type: 'object',
    properties: { old: { type: 'array', items: { ...string, enum: ['a', 'b'] } }, fresh: short },
  };
  const validate = compileSchemaValidator(schema);

  it('tolerates unchanged invalid values', () => {
    const old = { old: ['x'] };
    expect(validate({ old: ['x'], fresh: 'ok' }, undefined, old)).toEqual([]);
    expect(validate({ old: ['y'] }, undefined, old).map(String)).toEqual([
      'old[0]: Unsupported value: "y": supported values: "a", "b"',
    ]);
  });

  it('reports a new error after any number of tolerated ones', () => {
    const many = Array.from({ length: 20_000 }, () => 'x');
    const errors = validate({ old: many, fresh: 'long' }, undefined, { old: [...many] });
    expect(errors.map(String)).toEqual(['fresh: Too long: may not be more than 2 bytes']);
  });

  it('compares items of lists of type map with the old items of the same keys', () => {
    const list: JSONSchemaProps = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: string, v: short } },
    };
    const ofList = compileSchemaValidator(list);
    const old = [
      { k: 'a', v: 'long' },
      { k: 'b', v: 'x' },
    ];
    expect(ofList([{ k: 'b', v: 'y' }, old[0]], undefined, old)).toEqual([]);
    expect(ofList([{ k: 'c', v: 'long' }], undefined, old)).toHaveLength(1);
    expect(
      compileSchemaValidator({ ...list, 'x-kubernetes-list-type': 'atomic' })([old[0]], undefined, old),
    ).toHaveLength(1);
  });
});
