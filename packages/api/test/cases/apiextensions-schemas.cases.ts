import type { Case, CaseSuite } from '../case.ts';

const string = { type: 'string' };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.cases.example.com' },
  spec: {
    group: 'cases.example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** A case with this schema for the whole resource. */
const root = (schema: object, subresources?: object): Case => ({
  create: 'widget',
  change: (object) => {
    object.spec.versions[0].schema.openAPIV3Schema = schema;
    if (subresources) object.spec.versions[0].subresources = subresources;
  },
});
/** A case with this schema for one field. Only one, because the server reports the errors of several fields in random order. */
const field = (schema: object): Case => root({ type: 'object', properties: { spec: schema } });
const list = (more: object) => field({ type: 'array', ...more });
const item = (...properties: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(properties.map((name) => [name, { type: 'string' }])),
});
const each = (prefix: string, schemas: Record<string, object>, make: (schema: object) => Case = field) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${prefix}: ${name}`, make(schema)]));
const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
const intOrString = { 'x-kubernetes-int-or-string': true };
const rules = (...all: object[]): Case =>
  field({
    type: 'object',
    properties: { a: string, b: { type: 'object', additionalProperties: string } },
    'x-kubernetes-validations': all,
  });
const defaulted = (type: object, value: unknown) => ({ ...type, default: value });

export const suite: CaseSuite = {
  bases: { widget: { object: definition } },
  cases: {
    ...each('types', {
      'a field without one': {},
      'an unknown one': { type: 'text' },
      'null is not one': { type: 'null' },
      'a list without items': { type: 'array' },
      'items without one': { type: 'array', items: {} },
      'additional properties without one': { type: 'object', additionalProperties: {} },
      'none is needed where unknown fields stay': { 'x-kubernetes-preserve-unknown-fields': true },
      'none is needed of int-or-string': intOrString,
    }),
    ...each(
      'the root',
      {
        'without a type': { properties: {} },
        'of another type': { type: 'array', items: string },
        'with additional properties': { type: 'object', additionalProperties: string },
        'with additional properties allowed': { type: 'object', additionalProperties: true },
        'that may be null': { type: 'object', nullable: true },
        'with a default': { type: 'object', default: {} },
        'with metadata of another type': { type: 'object', properties: { metadata: string } },
        'with metadata restricted': {
          type: 'object',
          properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
        },
        'with metadata restricted too much': {
          type: 'object',
          properties: {
            metadata: { type: 'object', properties: { labels: { type: 'object', additionalProperties: string } } },
          },
        },
        'with metadata described': { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } },
        'with kind of another type': { type: 'object', properties: { kind: { type: 'integer' } } },
        'with apiVersion of no type': { type: 'object', properties: { apiVersion: {} } },
        'with a default for kind': { type: 'object', properties: { kind: { type: 'string', default: 'A' } } },
        'with a default in metadata': {
          type: 'object',
          properties: { metadata: { type: 'object', properties: { name: { type: 'string', default: 'a' } } } },
        },
        'with an embedded resource in metadata': {
          type: 'object',
          properties: { metadata: { ...embedded, properties: { name: string } } },
        },
      },
      root,
    ),
    'status: the root is an object': root({ type: 'string' }, { status: {} }),
    'status: the root says little else': root(
      {
        type: 'object',
        description: 'd',
        properties: { a: { type: 'string', enum: ['x'] } },
        anyOf: [{ required: ['a'] }],
        maxProperties: 3,
      },
      { status: {} },
    ),
    'status: the root may say some things': root(
      { type: 'object', required: ['spec'], properties: { spec: string } },
      { status: {} },
    ),
    ...each('not supported', {
      id: { type: 'string', id: 'x' },
      $schema: { type: 'string', $schema: 'x' },
      $ref: { type: 'string', $ref: '#/definitions/a' },
      'pattern properties': { type: 'object', patternProperties: { a: string } },
      definitions: { type: 'object', definitions: { a: string } },
      dependencies: { type: 'object', dependencies: { a: ['b'] } },
      'additional items': { type: 'array', items: string, additionalItems: true },
      'items as a list': { type: 'array', items: [string] },
      'unique items': { type: 'array', items: string, uniqueItems: true },
      'properties beside additional ones': { type: 'object', properties: { a: string }, additionalProperties: string },
      'properties beside forbidden others': { type: 'object', properties: { a: string }, additionalProperties: false },
      'preserving unknown fields of false': { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      'a bad pattern': { type: 'string', pattern: '[a' },
      'a pattern that looks ahead': { type: 'string', pattern: 'a(?=b)' },
    }),
    ...each('alternatives', {
      'without types': {
        type: 'object',
        properties: { a: string },
        anyOf: [{ required: ['a'] }, { properties: { a: { minLength: 1 } } }],
      },
      'with everything that is forbidden': {
        type: 'object',
        properties: { a: string },
        allOf: [
          {
            type: 'object',
            additionalProperties: string,
            default: {},
            title: 't',
            description: 'd',
            nullable: true,
            'x-kubernetes-preserve-unknown-fields': true,
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-int-or-string': true,
            'x-kubernetes-list-map-keys': ['a'],
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-map-type': 'atomic',
            'x-kubernetes-validations': [{ rule: 'true' }],
          },
        ],
      },
      'of metadata': { type: 'object', not: { properties: { metadata: { required: ['name'] } } } },
      'in items': { type: 'array', items: string, oneOf: [{ items: { type: 'string' } }] },
      'with a bad pattern': { type: 'string', anyOf: [{ pattern: '(' }] },
      'with allowed additional properties': { type: 'object', anyOf: [{ additionalProperties: true }] },
      'with forbidden additional properties': { type: 'object', anyOf: [{ additionalProperties: false }] },
    }),
    'alternatives: speak of known fields': root({
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: string } } },
      anyOf: [{ properties: { spec: { properties: { b: { minLength: 1 } } } } }],
      allOf: [{ properties: { other: { items: { minLength: 1 } } } }],
      not: { items: { minLength: 1 } },
    }),
    ...each('int-or-string', {
      'with its pattern': { ...intOrString, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      'with its pattern and more': {
        ...intOrString,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }],
      },
      'with its pattern the other way round': { ...intOrString, anyOf: [{ type: 'string' }, { type: 'integer' }] },
      'that preserves unknown fields': { ...intOrString, 'x-kubernetes-preserve-unknown-fields': true },
      'that is a resource': { ...intOrString, ...embedded },
    }),
    ...each('embedded resources', {
      'that say nothing': embedded,
      'that preserve unknown fields': { ...embedded, 'x-kubernetes-preserve-unknown-fields': true },
      'of another type': { ...embedded, type: 'string' },
      'of no type': { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      'with additional properties': { ...embedded, additionalProperties: string },
      'with metadata of another type': {
        ...embedded,
        properties: { metadata: string, kind: string, apiVersion: string },
      },
      'with kind of another type': { ...embedded, properties: { kind: { type: 'integer' } } },
      'inside metadata': { ...embedded, properties: { metadata: { ...embedded, properties: { a: string } } } },
      'with additional metadata that has defaults': {
        ...embedded,
        properties: {
          metadata: {
            type: 'object',
            properties: { labels: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } },
          },
        },
      },
    }),
    ...each(
      'lists',
      {
        'of an unknown type': { items: string, 'x-kubernetes-list-type': 'bag' },
        'that are sets': { items: string, 'x-kubernetes-list-type': 'set' },
        'that are sets of lists': { items: { type: 'array', items: string }, 'x-kubernetes-list-type': 'set' },
        'that are sets of sets': {
          items: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
          'x-kubernetes-list-type': 'set',
        },
        'that are sets of objects': { items: item('a'), 'x-kubernetes-list-type': 'set' },
        'that are sets of atomic objects': {
          items: { ...item('a'), 'x-kubernetes-map-type': 'atomic' },
          'x-kubernetes-list-type': 'set',
        },
        'that are sets of what may be null': { items: { ...string, nullable: true }, 'x-kubernetes-list-type': 'set' },
        'that are maps': {
          items: { ...item('a'), required: ['a'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a'],
        },
        'that are maps without keys': { items: item('a'), 'x-kubernetes-list-type': 'map' },
        'that are maps without items': { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
        'that are maps of scalars': {
          items: string,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a'],
        },
        'that are maps with several items': {
          items: [item('a')],
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a'],
        },
        'that are maps with optional keys': {
          items: item('a', 'b'),
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a', 'a', 'c'],
        },
        'that are maps with keys that may be null': {
          items: { type: 'object', nullable: true, required: ['a'], properties: { a: { ...string, nullable: true } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a'],
        },
        'that are maps with keys of objects': {
          items: { type: 'object', required: ['a'], properties: { a: { type: 'object' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a'],
        },
        'that are maps with defaults for keys': {
          items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a'],
        },
        'with keys that are no maps': { items: item('a'), 'x-kubernetes-list-map-keys': ['a'] },
        'with keys that are sets': {
          items: string,
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-list-map-keys': ['a'],
        },
      },
      list,
    ),
    'lists: types are for lists': field({ type: 'string', 'x-kubernetes-list-type': 'set' }),
    'lists: types are for lists, said so': field({ ...intOrString, 'x-kubernetes-list-type': 'atomic' }),
    'maps: types are for maps': field({ type: 'string', 'x-kubernetes-map-type': 'atomic' }),
    'maps: types are for maps, said so': field({ ...intOrString, 'x-kubernetes-map-type': 'granular' }),
    'maps: types are known': field({ type: 'object', 'x-kubernetes-map-type': 'loose' }),
    'rules: are checked without compiling': rules(
      {},
      { rule: ' ', message: ' ' },
      { rule: 'true', message: ' ' },
      { rule: 'true', message: 'a\nb' },
      { rule: 'true\n||false' },
      { rule: 'true', messageExpression: ' ' },
      { rule: 'true', reason: 'Because' },
      { rule: 'true', reason: 'FieldValueForbidden' },
      { rule: 'true', fieldPath: ' ' },
      { rule: 'true', fieldPath: '.a\n' },
      { rule: 'true', fieldPath: 'a' },
      { rule: 'true', fieldPath: '.c' },
      { rule: 'true', fieldPath: '.a.b' },
      { rule: 'true', fieldPath: ".b['x']" },
      { rule: 'true', fieldPath: '.b[x]' },
      { rule: 'true', fieldPath: ".b['x'" },
      { rule: 'true', fieldPath: '.b.x' },
    ),
    'rules: may be good': rules({ rule: 'true', message: 'm', reason: 'FieldValueInvalid', fieldPath: '.a' }),
    ...each('defaults', {
      'of the type': defaulted({ type: 'integer' }, 3),
      'of another type': defaulted({ type: 'integer' }, 'x'),
      'of null': defaulted({ type: 'integer', nullable: true }, null),
      'with unknown fields': defaulted(item('a'), { a: 'x', b: 'y' }),
      'with unknown fields below': defaulted({ type: 'array', items: item('a') }, [{ a: 'x' }, { b: 'y' }]),
      'with unknown fields that are preserved': defaulted(
        { ...item('a'), 'x-kubernetes-preserve-unknown-fields': true },
        { a: 'x', b: 'y' },
      ),
      'with additional fields': defaulted({ type: 'object', additionalProperties: string }, { a: 'x', b: 1 }),
      'with fields missing': defaulted({ ...item('a'), required: ['a', 'b'] }, {}),
      'of nested defaults': { type: 'object', default: {}, properties: { a: defaulted(string, 1) } },
      'in items': { type: 'array', items: defaulted(string, 1) },
      'in alternatives of int-or-string': defaulted(
        { ...intOrString, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        true,
      ),
      'of int-or-string': defaulted(intOrString, '5%'),
      'outside the enumeration': defaulted({ type: 'string', enum: ['a', 'b'] }, 'c'),
      'outside an enumeration of numbers': defaulted({ type: 'integer', enum: [1, 2] }, 3),
      'too long': defaulted({ type: 'string', maxLength: 2 }, 'abc'),
      'too short': defaulted({ type: 'string', minLength: 2 }, 'é'),
      'outside the pattern': defaulted({ type: 'string', pattern: '^a+$' }, 'b'),
      'above the maximum': defaulted({ type: 'integer', maximum: 2 }, 3),
      'at the exclusive maximum': defaulted({ type: 'number', maximum: 2.5, exclusiveMaximum: true }, 2.5),
      'below the minimum': defaulted({ type: 'number', minimum: 0.00001 }, 0),
      'at the exclusive minimum': defaulted({ type: 'integer', minimum: 2, exclusiveMinimum: true }, 2),
      'of no multiple': defaulted({ type: 'integer', multipleOf: 3 }, 4),
      'of a fraction of a multiple': defaulted({ type: 'number', multipleOf: 0.1 }, 0.25),
      'out of the range of int32': defaulted({ type: 'integer', format: 'int32' }, 4294967296),
      'with a fraction': defaulted({ type: 'integer' }, 1.5),
      'with too many items': defaulted({ type: 'array', items: string, maxItems: 1 }, ['a', 'b']),
      'with too few items': defaulted({ type: 'array', items: string, minItems: 3 }, ['a', 'b']),
      'with too many properties': defaulted(
        { type: 'object', additionalProperties: string, maxProperties: 1 },
        { a: 'a', b: 'b' },
      ),
      'with too few properties': defaulted(
        { type: 'object', additionalProperties: string, minProperties: 3 },
        { a: 'a' },
      ),
      'that fit none': defaulted({ type: 'string', anyOf: [{ minLength: 5 }, { pattern: '^x' }] }, 'ab'),
      'that fit both': defaulted({ type: 'string', oneOf: [{ minLength: 1 }, { pattern: '^a' }] }, 'ab'),
      'that fit not one': defaulted({ type: 'string', oneOf: [{ minLength: 5 }, { pattern: '^x' }] }, 'ab'),
      'that do not fit all': defaulted({ type: 'string', allOf: [{ minLength: 5 }, { pattern: '^a' }] }, 'ab'),
      'that fit none of all': defaulted({ type: 'string', allOf: [{ minLength: 5 }, { pattern: '^x' }] }, 'ab'),
      'that fit what they must not': defaulted({ type: 'string', not: { pattern: '^a' } }, 'ab'),
      'deep inside': {
        type: 'object',
        properties: { a: defaulted({ type: 'array', items: item('b') }, [{ b: 'x' }, { b: 1 }]) },
      },
      'of a resource': defaulted(
        { ...embedded, properties: { a: string } },
        { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' }, a: 'b' },
      ),
      'of an unnamed resource': defaulted({ ...embedded, properties: { a: string } }, {}),
      'of a badly named resource': defaulted(
        { ...embedded, properties: { a: string } },
        { apiVersion: 'a/b/c', kind: 'x y', metadata: { name: 'a/b', labels: { '-': 'x' } } },
      ),
      'of a mistyped resource': defaulted({ ...embedded, properties: { a: string } }, { apiVersion: 1, kind: 'A' }),
      'in the metadata of a resource': {
        ...embedded,
        properties: { metadata: { type: 'object', properties: { name: defaulted(string, 'a/b') } } },
      },
      'of the kind of a resource': { ...embedded, properties: { kind: defaulted(string, 'A B') } },
    }),
    ...each(
      'formats',
      Object.fromEntries(
        Object.entries({
          date: '2024-02-30',
          'date-time': '2024-01-01T24:00:00Z',
          duration: '5 weeks',
          uuid: 'x',
          ipv4: '1.2.3',
          ipv6: '1.2.3.4',
          cidr: '10.0.0.0/33',
          uri: 'a b',
          email: 'x',
          hostname: '-a',
          mac: '00:00',
          byte: '!!',
          isbn: '123',
          hexcolor: '#12',
          rgbcolor: 'rgb(1,2)',
          ssn: '1',
          creditcard: '1',
          bsonobjectid: 'x',
          'k8s-short-name': 'A',
          'k8s-long-name': 'a..b',
          int32: 'x',
        }).map(([format, value]) => [format, defaulted({ type: 'string', format }, value)]),
      ),
    ),
    ...each(
      'good formats',
      Object.fromEntries(
        Object.entries({
          date: '2024-02-29',
          'date-time': '2024-01-01T23:00:00.5+01:00',
          uuid: '00000000-0000-4000-8000-000000000001',
          ipv6: '::1',
          cidr: '10.0.0.1/8',
          uri: '/a',
          email: 'Me <me@example.com>',
          hostname: 'a.example.com',
          mac: '00-00-5e-00-53-01',
          byte: 'aGk=',
          isbn: '978-0321751041',
          creditcard: '4111 1111 1111 1111',
          ssn: '123-45-6789',
          'k8s-long-name': 'a.b-c',
          password: 'x',
        }).map(([format, value]) => [format, defaulted({ type: 'string', format }, value)]),
      ),
    ),
  },
};
