import { applyPatch, mergePatch } from '../headers.ts';
import { type Call, edited, type Step, type Suite } from '../scenario.ts';

const definitions = 'apiextensions.k8s.io/v1::customresourcedefinitions';
const group = '{{ns}}.dev';
const things = `${group}/v1:things`;
const own = `${definitions}/things.${group}`;

const get = (path: string): Call => ({ send: `GET ${path}` });
const post = (path: string, body: unknown, as?: string): Call => ({ send: `POST ${path}`, body, ...(as && { as }) });
const patch = (path: string, body: unknown, headers: Record<string, string> = mergePatch): Call => ({
  send: `PATCH ${path}`,
  body,
  headers,
});

const rules = (...all: readonly (string | object)[]): object => ({
  'x-kubernetes-validations': all.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const text = { type: 'string', maxLength: 20 };
const int = { type: 'integer' };

const definition = (spec: object, status: object = object({ phase: text }), root: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: object({ spec, status }, root) },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.n' } },
      },
    ],
  },
});
const dry = `${definitions}?dryRun=All`;

/** Creates a definition as a dry run. */
const tried = (spec: object, root: object = {}): Call => post(dry, definition(spec, undefined, root));

const defined = (spec: object, status?: object, root?: object): Step[] => [
  post(definitions, definition(spec, status, root)),
  { ...get(own), settle: true, as: 'definition' },
];
const thing = (name: string, spec: object, more: object = {}): object => ({
  apiVersion: `${group}/v1`,
  kind: 'Thing',
  metadata: { name },
  spec,
  ...more,
});

/** Validation rules of custom resources: in definitions, and their evaluation. */
export const suite: Suite = {
  scenarios: {
    'rules of definitions are compiled': [
      tried(object({ a: int }, rules('self.a > 0'))),
      tried(object({ a: int }, rules('self.b > 0'))),
      tried(object({ a: int }, rules('self.a >'))),
      tried(object({ a: int }, rules('self.a', 'self.a + 1 == "x"', 'size(self.a) > 1'))),
      tried(object({ a: int }, rules({ rule: 'self.a > 0', messageExpression: 'self.a' }))),
      tried(object({ a: int }, rules({ rule: 'self.a > 0', messageExpression: '"a is " + self.a' }))),
      tried(object({ a: int }, rules({ rule: 'self.a > 0', messageExpression: '"a is " + string(self.a)' }))),
      tried(object({ a: int }, rules({ rule: 'self.a > 0', reason: 'Wrong', fieldPath: '.b' }))),
      tried(object({ a: int }, rules({ rule: 'self.a > 0', reason: 'FieldValueForbidden', fieldPath: '.a' }))),
      tried(object({ a: int }, rules({ rule: 'self.a > 0', optionalOldSelf: true }))),
      tried(object({ a: int }, rules({ rule: 'oldSelf.hasValue() || self.a > 0', optionalOldSelf: true }))),
      tried(object({ a: int }, rules('oldSelf.a.hasValue()'))),
      tried(
        object({ a: int }, rules({ rule: ' ' }, { rule: 'true', message: ' ' }, { rule: 'true', message: 'a\nb' })),
      ),
      tried(object({ a: int }, rules('self.a.matches("[")'))),
      tried(object({ a: text }, rules('self.a.matches("[")'))),
      tried(
        object(
          { a: text },
          rules("self.a.matches('^a') && isURL(self.a) && quantity('1').isGreaterThan(quantity(self.a))"),
        ),
      ),
    ],
    'what rules see of a schema': [
      tried(object({ a: int }), rules("self.metadata.name == 'x' && self.kind == 'Thing' && self.spec.a > 0")),
      tried(object({ a: int }), rules("self.metadata.labels['x'] == 'y'")),
      tried(
        object(
          {
            e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
          },
          rules("self.e.metadata.name == 'x'"),
        ),
      ),
      tried(
        object(
          {
            e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
          },
          rules('has(self.e.spec)'),
        ),
      ),
      tried(object({ u: { 'x-kubernetes-preserve-unknown-fields': true } }, rules('has(self.u)'))),
      tried(object({ u: { 'x-kubernetes-preserve-unknown-fields': true, ...rules('true') } })),
      tried(
        object(
          { 'a-b': int, 'a.b': int, 'a/b': int, a__b: int, namespace: int },
          rules(
            'self.a__dash__b + self.a__dot__b + self.a__slash__b + self.a__underscores__b + self.__namespace__ > self.namespace',
          ),
        ),
      ),
      tried(object({ 'a b': int, 1: int }, rules('self.a__b > 1'))),
      tried(
        object(
          { p: { 'x-kubernetes-int-or-string': true } },
          rules("type(self.p) == string ? self.p == 'x' : self.p > 1"),
        ),
      ),
      tried(
        object(
          {
            t: { type: 'string', format: 'date-time' },
            d: { type: 'string', format: 'duration' },
            b: { type: 'string', format: 'byte', maxLength: 10 },
          },
          rules("self.t > timestamp('2020-01-01T00:00:00Z') && self.d < duration('1h') && self.b == b'x'"),
        ),
      ),
      tried(object({ l: { type: 'array', maxItems: 5, items: object({ a: int }, rules('oldSelf.a == self.a')) } })),
      tried(
        object({
          l: {
            type: 'array',
            maxItems: 5,
            items: object({ a: int }, { required: ['a'], ...rules('oldSelf.a == self.a') }),
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['a'],
          },
        }),
      ),
      tried(
        object({
          m: {
            type: 'object',
            maxProperties: 3,
            additionalProperties: object({ a: int }, rules('oldSelf.a == self.a')),
          },
        }),
      ),
    ],
    'rules may not cost too much': [
      tried(object({ l: { type: 'array', items: { type: 'string' } } }, rules('self.l.all(x, self.l.all(y, x == y))'))),
      tried(object({ l: { type: 'array', items: { type: 'string' }, ...rules("self.all(x, x.contains('y'))") } })),
      tried(
        object({
          l: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10, ...rules("self.contains('y')") } },
        }),
      ),
      tried(object({ l: { type: 'array', items: { type: 'string', ...rules("self.contains('y')") } } })),
      tried(
        object(
          { l: { type: 'array', maxItems: 3000, items: text } },
          rules('self.l.all(x, self.l.exists_one(y, x == y))'),
        ),
      ),
      tried(
        object(
          { l: { type: 'array', items: { type: 'string' } } },
          rules({ rule: 'size(self.l) < 3', messageExpression: "self.l.map(x, x + x + x).join(',')" }),
        ),
      ),
      tried(
        object(
          { a: { type: 'string' } },
          rules(
            ...Array.from(
              { length: 12 },
              (_, i) => `self.a.split(',').all(x, x.size() > ${i} && x.contains('${i}') && self.a.contains(x))`,
            ),
          ),
        ),
      ),
    ],
    'defaults keep the rules': [
      tried(object({ a: { ...int, default: 1, ...rules('self > 0') } })),
      tried(object({ a: { ...int, default: 0, ...rules('self > 0') } })),
      tried(
        object({
          o: object(
            { a: int, b: int },
            { default: { a: 1, b: 1 }, ...rules({ rule: 'self.a < self.b', message: 'a before b', fieldPath: '.a' }) },
          ),
        }),
      ),
      tried(
        object({
          a: { ...int, default: 0, ...rules({ rule: 'oldSelf.hasValue() || self > 0', optionalOldSelf: true }) },
        }),
      ),
      tried(object({ a: { ...int, default: 0, ...rules('1 / self > 0') } })),
    ],
    'objects keep the rules': [
      ...defined(
        object(
          {
            replicas: int,
            label: text,
            max: int,
            name: { ...text, ...rules({ rule: "self.startsWith('a')", message: 'must start with a' }) },
            kind: { ...text, ...rules({ rule: 'self == oldSelf', message: 'Value is immutable' }) },
            list: {
              type: 'array',
              maxItems: 10,
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['key'],
              items: object(
                { key: text, value: int },
                {
                  required: ['key'],
                  ...rules('!has(oldSelf.value) || !has(self.value) || self.value >= oldSelf.value'),
                },
              ),
            },
            map: {
              type: 'object',
              maxProperties: 10,
              additionalProperties: {
                ...int,
                ...rules({ rule: 'self > 0', reason: 'FieldValueForbidden', message: 'too small' }),
              },
            },
            once: {
              ...text,
              ...rules({ rule: '!oldSelf.hasValue() || oldSelf.value() == self', optionalOldSelf: true }),
            },
            port: { 'x-kubernetes-int-or-string': true, maxLength: 10, ...rules('self > 5') },
          },
          rules(
            {
              rule: 'self.replicas <= self.max',
              messageExpression: "self.label + ' has too many'",
              fieldPath: '.replicas',
            },
            { rule: "!has(self.map) || !('no' in self.map)", reason: 'FieldValueDuplicate' },
          ),
        ),
        object({ phase: { ...text, ...rules("self != 'bad'") }, n: int }),
      ),
      post(things, thing('a', { replicas: 1, max: 5 }), 'a'),
      post(things, thing('b', { replicas: 6, max: 5 })),
      post(things, thing('b', { replicas: 6, max: 5, label: 'x' })),
      post(things, thing('b', { replicas: 6 })),
      post(things, thing('b', { replicas: 'x', max: 5 })),
      post(things, thing('b', { replicas: 1, max: 5, name: 'b' })),
      post(things, thing('b', { replicas: 1, max: 5, map: { x: 0 } })),
      post(things, thing('b', { replicas: 1, max: 5, map: { no: 1 } })),
      post(things, thing('b', { replicas: 1, max: 5, port: 'http' })),
      post(things, thing('b', { replicas: 1, max: 5, port: 4 })),
      post(things, { ...thing('', { replicas: 9, max: 5 }), metadata: {} }),
      post(things, { ...thing('X', { replicas: 9, max: 5 }) }),
      patch(`${things}/a`, { spec: { kind: 'x', once: '1' } }),
      patch(`${things}/a`, { spec: { kind: 'y' } }),
      patch(`${things}/a`, { spec: { once: '2' } }),
      patch(`${things}/a`, { spec: { list: [{ key: 'k', value: 2 }, { key: 'l' }] } }),
      patch(`${things}/a`, { spec: { list: [{ key: 'l' }, { key: 'k', value: 1 }] } }),
      patch(`${things}/a`, {
        spec: {
          list: [
            { key: 'n', value: 1 },
            { key: 'k', value: 3 },
          ],
        },
      }),
      patch(`${things}/a/status`, { status: { phase: 'good', n: 1 } }),
      patch(`${things}/a/status`, { status: { phase: 'bad' } }),
      patch(`${things}/a/scale`, { spec: { replicas: 4 } }),
      patch(`${things}/a/scale`, { spec: { replicas: 6 } }),
      patch(`${things}/a?fieldManager=one`, thing('a', { replicas: 9 }), { ...applyPatch }),
      patch(`${things}/a?fieldManager=one&force=true`, thing('a', { replicas: 9 }), { ...applyPatch }),
      patch(`${things}/c?fieldManager=one`, thing('c', { replicas: 9, max: 1 }), { ...applyPatch }),
      post(`${things}?dryRun=All`, thing('d', { replicas: 9, max: 1 })),
      { ...get(`${things}/a`) },
    ],
    'what did not change may go on breaking new rules': [
      ...defined(object({ a: text, b: text, replicas: int })),
      post(things, thing('x', { a: 'old', b: 'old' }), 'x'),
      {
        send: `PUT ${own}`,
        body: edited('definition', {
          'spec.versions.0.schema.openAPIV3Schema.properties.spec': object(
            {
              a: text,
              b: { ...text, ...rules("self == 'new'") },
              replicas: int,
            },
            rules("self.b == 'newer'"),
          ),
        }),
        as: 'changed',
      },
      { ...get(own), settle: true },
      patch(`${things}/x`, { metadata: { labels: { a: 'b' } } }),
      patch(`${things}/x`, { spec: { replicas: 3 } }),
      patch(`${things}/x`, { spec: { a: 'other', b: 'newer' } }),
      patch(`${things}/x`, { spec: { a: 'new', b: 'newer' } }),
      patch(`${things}/x/status`, { status: { phase: 'p' } }),
    ],
    'definitions change with their rules': [
      ...defined(object({ a: { ...text, ...rules("self == 'x'") }, b: { type: 'array', items: { type: 'string' } } })),
      {
        send: `PUT ${own}`,
        body: edited('definition', {
          'spec.versions.0.schema.openAPIV3Schema.properties.spec.x-kubernetes-validations': [{ rule: 'self.c' }],
        }),
      },
      {
        send: `PUT ${own}`,
        body: edited('definition', {
          'spec.versions.0.schema.openAPIV3Schema.properties.spec.x-kubernetes-validations': [
            { rule: 'self.b.all(x, self.b.all(y, x == y))' },
          ],
        }),
      },
      patch(own, { metadata: { labels: { a: 'b' } } }),
    ],
  },
};
