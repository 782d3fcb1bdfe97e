import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryFor } from './arbitrary.test-data.ts';
import { exampleKinds, exampleType } from './example-types.test-data.ts';
import { compileNormalizer, type Normalized } from './normalizer.ts';
import { NumberLiteral } from './number-literal.ts';

const normalizeAs = (fullName: string, value: unknown): Normalized => compileNormalizer(exampleType(fullName))(value);

// The expectations are upstream's output for the JSON.
describe.each<[type: string, cases: [sentence: string, value: unknown, expected: unknown][]]>([
  [
    'policy.v1.PodDisruptionBudget',
    [
      [
        'writes structs and required scalars that are unset',
        {},
        {
          metadata: {},
          spec: {},
          status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
        },
      ],
      [
        'keeps empty values of pointers',
        { spec: { selector: {}, unhealthyPodEvictionPolicy: '', maxUnavailable: 0, minAvailable: '' } },
        {
          metadata: {},
          spec: { selector: {}, unhealthyPodEvictionPolicy: '', maxUnavailable: 0, minAvailable: '' },
          status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
        },
      ],
    ],
  ],
  [
    'core.v1.Secret',
    [
      [
        'drops empty maps, lists and strings',
        { data: {}, type: '', metadata: { finalizers: [], name: '' } },
        { metadata: {} },
      ],
      ['treats null as absent', { data: null, type: null, immutable: null, metadata: null }, { metadata: {} }],
      [
        'replaces null inside lists and maps by zero values',
        { metadata: { labels: { a: null }, finalizers: [null], ownerReferences: [null] }, data: { a: null, b: '' } },
        {
          metadata: {
            labels: { a: '' },
            finalizers: [''],
            ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }],
          },
          data: { a: null, b: '' },
        },
      ],
      ['drops unknown fields', { foo: 1, metadata: { Name: 'x', bar: {} } }, { metadata: {} }],
      ['reads bytes from a list', { data: { a: [1, null, 255] } }, { metadata: {}, data: { a: 'AQD/' } }],
      [
        'converts times to seconds of UTC',
        { metadata: { creationTimestamp: '2020-01-01T00:00:00.5+02:00' } },
        { metadata: { creationTimestamp: '2019-12-31T22:00:00Z' } },
      ],
      [
        'drops or nulls the zero time',
        { metadata: { creationTimestamp: '0001-01-01T00:00:00Z', deletionTimestamp: '0001-01-01T00:00:00Z' } },
        { metadata: { deletionTimestamp: null } },
      ],
    ],
  ],
  ['core.v1.SecretList', [['writes null for a required list', {}, { metadata: {}, items: null }]]],
  [
    'core.v1.ResourceQuota',
    [
      [
        'converts quantities to their canonical form',
        { spec: { hard: { a: '1.50', b: 2, c: null, d: '0.5Gi' } } },
        { metadata: {}, spec: { hard: { a: '1500m', b: '2', c: '0', d: '512Mi' } }, status: {} },
      ],
    ],
  ],
  [
    'metrics.v1beta1.NodeMetrics',
    [
      ['writes zero times, durations and maps', {}, { metadata: {}, timestamp: null, window: '0s', usage: null }],
      [
        'converts durations to their canonical form',
        { window: '90s', usage: {} },
        { metadata: {}, timestamp: null, window: '1m30s', usage: {} },
      ],
    ],
  ],
  ['apps.v1.ControllerRevision', [['writes null for no object', {}, { metadata: {}, data: null, revision: 0 }]]],
  [
    'apiextensions.v1.JSONSchemaProps',
    [
      ['treats an empty list of schemas as absent', { items: [] }, { items: null }],
      [
        'treats other values as absent',
        { items: 5, dependencies: { a: true } },
        { items: null, dependencies: { a: null } },
      ],
      [
        'keeps booleans and normalises schemas',
        { additionalProperties: false, additionalItems: { nullable: false, foo: 1 }, items: [{ type: '' }] },
        { additionalProperties: false, additionalItems: {}, items: [{}] },
      ],
    ],
  ],
])('%s', (type, cases) => {
  it.each(cases)('%s', (_, value, expected) => {
    expect(normalizeAs(type, value).object).toEqual(expected);
  });
});

it('reports that there were unknown fields', () => {
  expect(normalizeAs('core.v1.Secret', { metadata: { foo: 1 } }).hasUnknownFields).toBe(true);
  expect(normalizeAs('core.v1.Secret', { metadata: {} }).hasUnknownFields).toBe(false);
});

it('returns the same object if nothing changes, and otherwise shares the unchanged parts', () => {
  const value = { metadata: { name: 'a', labels: { b: 'c' } }, data: { k: 'YQ==' } };
  expect(normalizeAs('core.v1.Secret', value).object).toBe(value);
  const changed = normalizeAs('core.v1.Secret', { ...value, foo: 1 }).object;
  expect(changed.metadata).toBe(value.metadata);
});

it('treats __proto__ and constructor as ordinary keys', () => {
  const value: unknown = JSON.parse('{"__proto__":{"a":1},"metadata":{"labels":{"__proto__":null,"constructor":"x"}}}');
  const { object } = normalizeAs('core.v1.Secret', value);
  expect(JSON.stringify(object)).toBe('{"metadata":{"labels":{"__proto__":"","constructor":"x"}}}');
  expect(Object.getPrototypeOf(object.metadata)).toBe(Object.prototype);
});

it('keeps unknown fields with preserveUnknownFields', () => {
  const schema = { ...exampleType('core.v1.LocalObjectReference'), preserveUnknownFields: true };
  const value: unknown = JSON.parse('{"name":"","x":{"y":1.5},"__proto__":3}');
  expect(JSON.stringify(compileNormalizer(schema)(value).object)).toBe('{"x":{"y":1.5},"__proto__":3}');
});

it('leaves no number literal behind', () => {
  const literal = new NumberLiteral('1e3');
  const normalize = (type: string, value: unknown): unknown =>
    compileNormalizer(exampleType(type))(value, { literals: true }).object;
  expect(normalize('apiextensions.v1.JSONSchemaProps', { maximum: literal, default: { a: [literal] } })).toEqual({
    maximum: 1000,
    default: { a: [1000] },
  });
  expect(normalize('core.v1.ResourceQuotaStatus', { used: { cpu: literal } })).toEqual({ used: { cpu: '1e3' } });
});

describe('errors', () => {
  const struct = (struct: string, type: string): string => `into Go struct field ${struct} of type ${type}`;
  const quantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

  it.each<[type: string, value: unknown, message: string]>([
    ['core.v1.Secret', 5, 'json: cannot unmarshal number into Go value of type v1.Secret'],
    ['core.v1.Secret', { metadata: [] }, `json: cannot unmarshal array ${struct('Secret.metadata', 'v1.ObjectMeta')}`],
    ['core.v1.Secret', { type: 1 }, `json: cannot unmarshal number ${struct('Secret.type', 'v1.SecretType')}`],
    [
      'core.v1.Secret',
      { metadata: { uid: {} } },
      `json: cannot unmarshal object ${struct('ObjectMeta.metadata.uid', 'types.UID')}`,
    ],
    [
      'core.v1.Secret',
      { metadata: { labels: { a: true } } },
      `json: cannot unmarshal bool ${struct('ObjectMeta.metadata.labels', 'string')}`,
    ],
    [
      'core.v1.Secret',
      { metadata: { finalizers: 'x' } },
      `json: cannot unmarshal string ${struct('ObjectMeta.metadata.finalizers', '[]string')}`,
    ],
    [
      'core.v1.Secret',
      { metadata: { generation: 1.5 } },
      `json: cannot unmarshal number 1.5 ${struct('ObjectMeta.metadata.generation', 'int64')}`,
    ],
    ['core.v1.Secret', { data: 5 }, `json: cannot unmarshal number ${struct('Secret.data', 'map[string][]uint8')}`],
    ['core.v1.Secret', { data: { a: 5 } }, `json: cannot unmarshal number ${struct('Secret.data', '[]uint8')}`],
    ['core.v1.Secret', { data: { a: [300] } }, `json: cannot unmarshal number 300 ${struct('Secret.data', 'uint8')}`],
    ['core.v1.Secret', { data: { a: '!' } }, 'illegal base64 data at input byte 0'],
    [
      'core.v1.Secret',
      { metadata: { creationTimestamp: 5 } },
      `json: cannot unmarshal number ${struct('ObjectMeta.metadata.creationTimestamp', 'string')}`,
    ],
    [
      'core.v1.Secret',
      { metadata: { creationTimestamp: 'foo' } },
      'parsing time "foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006"',
    ],
    [
      'core.v1.SecretKeySelector',
      { name: 5 },
      `json: cannot unmarshal number ${struct('SecretKeySelector.LocalObjectReference.name', 'string')}`,
    ],
    [
      'core.v1.ResourceQuota',
      { spec: { hard: 1 } },
      `json: cannot unmarshal number ${struct('ResourceQuotaSpec.spec.hard', 'v1.ResourceList')}`,
    ],
    ['core.v1.ResourceQuota', { spec: { hard: { cpu: 'x' } } }, quantity],
    ['core.v1.ResourceQuota', { spec: { hard: { cpu: true } } }, quantity],
    [
      'policy.v1.PodDisruptionBudget',
      { status: { currentHealthy: 3e9 } },
      `json: cannot unmarshal number 3000000000 ${struct('PodDisruptionBudgetStatus.status.currentHealthy', 'int32')}`,
    ],
    [
      'policy.v1.PodDisruptionBudget',
      { spec: { minAvailable: 1.5 } },
      `json: cannot unmarshal number 1.5 ${struct('PodDisruptionBudgetSpec.spec.minAvailable', 'int32')}`,
    ],
    [
      'policy.v1.PodDisruptionBudget',
      { status: { conditions: [{}, 'a'] } },
      `json: cannot unmarshal string ${struct('PodDisruptionBudgetStatus.status.conditions', 'v1.Condition')}`,
    ],
    [
      'coordination.v1.Lease',
      { spec: { renewTime: '2024-01-01T00:00:00Z' } },
      'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    ['metrics.v1beta1.NodeMetrics', { window: 'x' }, 'time: invalid duration "x"'],
    ['apiextensions.v1.JSONSchemaProps', { additionalProperties: 5 }, 'boolean or JSON schema expected'],
    [
      'apiextensions.v1.JSONSchemaProps',
      { items: [{ type: 5 }] },
      `json: cannot unmarshal number ${struct('JSONSchemaProps.items.type', 'string')}`,
    ],
    [
      'apiextensions.v1.JSONSchemaProps',
      { enum: 5 },
      `json: cannot unmarshal number ${struct('JSONSchemaProps.enum', '[]v1.JSON')}`,
    ],
    [
      'apiextensions.v1.JSONSchemaProps',
      { maximum: '5' },
      `json: cannot unmarshal string ${struct('JSONSchemaProps.maximum', 'float64')}`,
    ],
  ])('%s %j', (type, value, message) => {
    expect(() => normalizeAs(type, value)).toThrow(expect.objectContaining({ name: 'DecodeError', message }));
  });

  it('reports the first of several', () => {
    expect(() => normalizeAs('core.v1.Secret', { type: 1, metadata: 2 })).toThrow('Secret.type');
  });

  it('reports a value that decodes itself before any other', () => {
    expect(() => normalizeAs('core.v1.ResourceQuota', { metadata: 1, spec: { hard: { cpu: 'x' } } })).toThrow(quantity);
  });

  it.each(['1.0', '1e3', '99999999999999999999'])('refuses %s as an integer', (text) => {
    const normalize = compileNormalizer(exampleType('policy.v1.PodDisruptionBudget'));
    const value = { status: { expectedPods: new NumberLiteral(text) } };
    expect(() => normalize(value, { literals: true })).toThrow(
      `json: cannot unmarshal number ${text} into Go struct field`,
    );
  });
});

describe.each([...exampleKinds, ['JSONSchemaProps', exampleType('apiextensions.v1.JSONSchemaProps')] as const])(
  'any %s',
  (_, schema) => {
    it('does not change when it is normalised again', () => {
      const normalize = compileNormalizer(schema);
      fc.assert(
        fc.property(arbitraryFor(schema), (object) => {
          expect(normalize(object).object).toBe(object);
        }),
        { numRuns: 25 },
      );
    });
  },
);
