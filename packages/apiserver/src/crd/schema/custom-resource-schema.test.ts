import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { cloneJson } from '@coxswain/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CustomObject, compileCustomResourceSchema } from './custom-resource-schema.ts';
import { largeDefinition, largeObject } from './large-schema.test-data.ts';

const string: JSONSchemaProps = { type: 'string' };

/** Compiles a schema for objects with a `spec`. */
const compile = (spec: JSONSchemaProps, more: JSONSchemaProps['properties'] = {}) =>
  compileCustomResourceSchema({ type: 'object', properties: { spec, ...more } }, { kind: 'Widget' });

const objectWith = (spec: unknown): CustomObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'x' },
  spec,
});

/** Nests schemas or values. */
function nest<T>(depth: number, wrap: (inner: T) => T, innermost: T): T {
  let result = innermost;
  for (let i = 0; i < depth; i++) result = wrap(result);
  return result;
}

describe('a large schema', () => {
  const { openAPIV3Schema } = largeDefinition().spec.versions[0]!.schema!;
  const schema = compileCustomResourceSchema(openAPIV3Schema, { kind: 'Large' });

  it('accepts a valid object, and sets its defaults', () => {
    const object = largeObject();
    expect(schema.prune(object)).toEqual([]);
    schema.default(object);
    expect(schema.validate(object)).toEqual([]);
    const { group3 } = object.spec as { group3: { paused: unknown; steps: { timeoutSeconds: unknown }[] } };
    expect([group3.paused, group3.steps[2]!.timeoutSeconds]).toEqual([false, 30]);
  });

  it('finds an error in a nested field', () => {
    const object = largeObject();
    const { group7 } = object.spec as { group7: { steps: { env: { name: unknown }[] }[] } };
    group7.steps[1]!.env[2]!.name = 5;
    expect(schema.validate(object).map(String)).toEqual([
      'spec.group7.steps[1].env[2].name: Invalid value: "integer": spec.group7.steps[1].env[2].name in body must be of type string: "integer"',
    ]);
  });
});

describe('an object from the store', () => {
  const schema = compile({
    type: 'object',
    properties: { template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { a: string } } },
  });

  it('loses invalid fields of metadata instead of being rejected', () => {
    const object = objectWith({
      template: { apiVersion: 1, kind: 'A', metadata: { name: 'y', labels: 'z', other: 1 }, a: 'x' },
    });
    object.metadata = { name: 'x', labels: 5, finalizers: ['f'], other: 1 };
    expect(() => schema.prune(cloneJson(object))).toThrow(
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
    );
    expect(schema.prune(object, { dropInvalidMetadata: true })).toEqual([
      'metadata.other',
      'spec.template.metadata.other',
    ]);
    expect(object).toEqual({
      ...objectWith({ template: { kind: 'A', metadata: { name: 'y' }, a: 'x' } }),
      metadata: { name: 'x', finalizers: ['f'] },
    });
  });

  it('is rejected when its metadata is not an object', () => {
    const object = { ...objectWith({}), metadata: 'x' };
    expect(() => schema.prune(object, { dropInvalidMetadata: true })).toThrow(
      'invalid metadata: expected object, got string',
    );
  });
});

describe('without pruning', () => {
  it('only unknown fields of metadata are removed', () => {
    const schema = compileCustomResourceSchema(
      { type: 'object', properties: { spec: { type: 'object' } } },
      { kind: 'Widget', preserveUnknownFields: true },
    );
    const object = { ...objectWith({ a: { b: null } }), other: 1, metadata: { name: 'x', unknown: 1 } };
    expect(schema.prune(object)).toEqual(['metadata.unknown']);
    expect(object).toEqual({ ...objectWith({ a: { b: null } }), other: 1 });
  });

  it('a resource without a schema keeps only its metadata', () => {
    const schema = compileCustomResourceSchema(undefined, { kind: 'Widget' });
    const object = objectWith({ a: 1 });
    expect(schema.prune(object)).toEqual(['spec']);
    expect(schema.validate(object)).toEqual([]);
    expect(schema.needsDefaulting).toBe(false);
  });
});

describe('the status subresource', () => {
  const schema = compile(
    { type: 'object', required: ['a'], properties: { a: string } },
    { status: { type: 'object', properties: { phase: { ...string, enum: ['A'] }, count: { type: 'integer' } } } },
  );
  const withStatus = (status: unknown) => ({ ...objectWith({}), status });

  it('validates only the status', () => {
    const errors = schema.validateStatus(withStatus({ phase: 'B', count: 'x' }), objectWith({}));
    expect(errors.map(String)).toEqual([
      'status.phase: Unsupported value: "B": supported values: "A"',
      'status.count: Invalid value: "string": count in body must be of type integer: "string"',
    ]);
  });

  it('tolerates errors in unchanged values', () => {
    const old = withStatus({ phase: 'B', count: 1 });
    expect(schema.validateStatus(withStatus({ phase: 'B', count: 2 }), old)).toEqual([]);
    expect(schema.validateStatus(withStatus({ phase: 'C', count: 1 }), old)).toHaveLength(1);
    expect(schema.validateStatus(objectWith({}), old)).toEqual([]);
  });
});

describe('validation rules', () => {
  const schema = compile({
    type: 'object',
    properties: { a: { ...string, pattern: '^x' } },
    'x-kubernetes-validations': [{ rule: "self.a == 'x'", message: 'a must be x' }],
  });
  const validate = async (object: Record<string, unknown>) =>
    (await schema.validateRules(object, undefined, schema.validate(object))).map(String);

  it('are evaluated on objects with other errors', async () => {
    expect(await validate(objectWith({ a: 'y' }))).toEqual(['spec: Invalid value: a must be x']);
    expect(await validate(objectWith({ a: 'x' }))).toEqual([]);
  });

  it('are not evaluated on objects with type errors', async () => {
    expect(await validate(objectWith({ a: 5 }))).toEqual([
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });
});

describe('hostile schemas', () => {
  it('may be as deep as the limit for JSON', () => {
    const depth = 480;
    const schema = compile(nest<JSONSchemaProps>(depth, (a) => ({ type: 'object', properties: { a } }), string));
    const object = objectWith(nest<unknown>(depth, (a) => ({ a }), 5));
    expect(schema.prune(object)).toEqual([]);
    expect(schema.validate(object)).toHaveLength(1);
    expect(schema.validate(object, { old: cloneJson(object) })).toEqual([]);
  });

  it('may have deeply nested alternatives', () => {
    const tower = nest<JSONSchemaProps>(400, (inner) => ({ anyOf: [inner, { pattern: 'q' }] }), { maxLength: 1 });
    expect(
      compile({ ...string, ...tower })
        .validate(objectWith('xx'))
        .map(String),
    ).toContain('spec: Too long: may not be more than 1 byte');
  });

  it('cannot multiply defaults without bounds', () => {
    const list = Array.from({ length: 100 }, () => ({}));
    const schema = compile(
      nest<JSONSchemaProps>(
        4,
        (a) => ({ type: 'array', default: list, items: { type: 'object', properties: { a } } }),
        string,
      ),
    );
    const { spec: _, ...object } = objectWith({});
    expect(() => schema.default(object)).toThrow('Request entity too large: the defaults of the object are too large');
  });

  it('cannot multiply checks without bounds', () => {
    const allOf = Array.from({ length: 10_000 }, () => ({ maxLength: 1 }));
    const schema = compile({ type: 'array', items: { ...string, allOf } });
    expect(() => schema.validate(objectWith(Array.from({ length: 1000 }, () => 'x')))).toThrow(
      'the object is too large to be validated by its schema',
    );
  });

  it('cannot cause an unbounded number of errors', () => {
    const values = Array.from({ length: 10_000 }, (_, i) => `value-${i}`);
    const listed = compile({ type: 'array', items: { ...string, enum: values } });
    expect(listed.validate(objectWith(Array.from({ length: 1000 }, () => 'x'))).length).toBeLessThan(10);
    const typed = compile({ type: 'array', items: { type: 'integer' } });
    expect(typed.validate(objectWith(Array.from({ length: 50_000 }, () => 'x')))).toHaveLength(10_000);
  });

  it('cannot modify prototypes', () => {
    const properties: JSONSchemaProps['properties'] = JSON.parse('{"__proto__": {"type": "string", "default": "x"}}');
    const schema = compile({ type: 'object', default: {}, properties: properties! });
    const object = objectWith(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'));
    expect(schema.prune(object)).toEqual(['spec.__proto__.polluted', 'spec.constructor']);
    const { spec: _, ...bare } = objectWith({});
    schema.default(bare);
    expect(Object.keys((bare as CustomObject).spec as object)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('pruning and defaulting', () => {
  const schema = compile({
    type: 'object',
    properties: {
      a: { ...string, default: 'x' },
      b: { type: 'object', default: {}, properties: { a: { type: 'integer', default: 1 }, b: string } },
      c: { type: 'array', items: { type: 'object', nullable: true, properties: { a: { ...string, default: 'y' } } } },
      d: { type: 'object', additionalProperties: { type: 'object', properties: { a: string } } },
      e: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  });
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'z');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, 1, 'x', true),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }));

  it('are idempotent', () => {
    fc.assert(
      fc.property(value, (spec) => {
        const object = objectWith(cloneJson(spec));
        schema.prune(object);
        schema.default(object);
        const once = cloneJson(object);
        expect(schema.prune(object)).toEqual([]);
        schema.default(object);
        expect(object).toEqual(once);
      }),
    );
  });
});
