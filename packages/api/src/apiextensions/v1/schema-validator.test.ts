import { Path } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { compileSchemaValidator } from './schema-validator.ts';

const problems = (schema: JSONSchemaProps, value: unknown): string[] =>
  compileSchemaValidator(schema)(value, Path.of('spec')).map(String);

const string: JSONSchemaProps = { type: 'string' };

describe('a value against its schema', () => {
  it('may be null only where the schema says so', () => {
    expect(problems(string, null)).toEqual(['spec: Invalid value: "null":  in body must be of type string: "null"']);
    expect(problems({ ...string, nullable: true }, null)).toEqual([]);
  });

  it('is an integer or a string for int-or-string, and nothing else', () => {
    const schema: JSONSchemaProps = { 'x-kubernetes-int-or-string': true };
    expect(problems(schema, 5)).toEqual([]);
    expect(problems(schema, '5%')).toEqual([]);
    expect(problems(schema, true)).toEqual([
      'spec: Invalid value: "boolean":  in body must be of type integer,string: "boolean"',
    ]);
  });

  it('is named by its path from the root', () => {
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

  it('has own properties only', () => {
    const schema: JSONSchemaProps = { type: 'object', required: ['constructor'], properties: {} };
    expect(problems(schema, {})).toEqual(['spec.constructor: Required value']);
    expect(problems({ type: 'object', additionalProperties: string }, JSON.parse('{"__proto__": 1}'))).toEqual([
      'spec.__proto__: Invalid value: "integer": .__proto__ in body must be of type string: "integer"',
    ]);
  });
});
