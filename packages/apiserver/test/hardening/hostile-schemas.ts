import type { Dice } from './dice.ts';
import { oddTexts, oddValue } from './hostile-values.ts';

type Schema = Record<string, unknown>;

const text = { type: 'string' };
const sizes = [3, 100, 3_000];
const depths = [5, 60, 200, 450];

function nested(depth: number, wrap: (inner: Schema) => Schema, inner: Schema = text): Schema {
  let schema = inner;
  for (let left = depth; left > 0; left--) schema = wrap(schema);
  return schema;
}

const fields = (count: number, schema: (index: number) => unknown): Schema => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, schema(index)])),
});

const patterns: readonly string[] = [
  '^(a+)+$',
  '(.*)*(.*)*(.*)*x',
  '(a{1000}){1000}',
  '((((a{100}){100}){100}){100})',
  '\\',
  '(?=x)',
  '(?P<n>a)',
  '[',
  '\\p{Greek}',
  `${'('.repeat(2_000)}a${')'.repeat(2_000)}`,
  'a|'.repeat(5_000),
  '(a|aa)+$',
  '\\C',
  '^[\\s\\S]{0,1000}$',
  ...oddTexts,
];

const rules: readonly string[] = [
  'true',
  'self.a',
  'self.all(x, self.all(y, self.all(z, x == y && y == z)))',
  'self == oldSelf',
  `${'('.repeat(300)}true${')'.repeat(300)}`,
  `${'!'.repeat(3_000)}true`,
  `[${'[1],'.repeat(2_000)}[1]].size() > 0`,
  `"${'a'.repeat(50_000)}" == "b"`,
  `self.matches('(a+)+$')`,
  'size(self) / 0 > 1',
  'has(self.__proto__)',
  'self.constructor.name == "x"',
  '"a".replace("", "aaaaaaaaaa") == ""',
  '[1,2,3].map(x, [1,2,3].map(y, [1,2,3].map(z, x)))',
  '',
];

/** Expensive schemas of the spec, most of which are valid. */
const schemas: readonly ((dice: Dice) => unknown)[] = [
  (dice) => nested(dice.pick(depths), (inner) => ({ type: 'object', properties: { a: inner } })),
  (dice) => nested(dice.pick(depths), (inner) => ({ type: 'array', items: inner })),
  (dice) => nested(dice.pick(depths), (inner) => ({ type: 'object', additionalProperties: inner })),
  (dice) => fields(dice.pick(sizes), () => text),
  (dice) =>
    fields(dice.pick([1, 20]), () => ({ ...text, enum: Array.from({ length: dice.pick(sizes) }, (_, i) => `v${i}`) })),
  (dice) => ({ type: 'object', required: Array.from({ length: dice.pick(sizes) }, (_, i) => `f${i}`) }),
  // A list of empty objects, each of which gets a list of empty objects.
  (dice) => {
    const many = Array.from({ length: dice.pick([3, 50, 300]) }, () => ({}));
    const lists = nested(
      dice.pick([2, 3, 5]),
      (inner) => ({ type: 'array', default: many, items: { type: 'object', properties: { a: inner } } }),
      { ...text, default: 'x'.repeat(dice.pick([1, 1_000])) },
    );
    return { type: 'object', properties: { f0: lists } };
  },
  (dice) =>
    nested(dice.pick([5, 100]), (inner) => ({
      type: 'object',
      default: {},
      properties: { a: inner, b: { ...text, default: 'b' } },
    })),
  (dice) => fields(3, () => ({ ...text, pattern: dice.pick(patterns) })),
  (dice) =>
    fields(2, () => ({
      type: 'string',
      format: dice.pick(['date-time', 'ipv4', 'byte', 'uuid', 'x', '__proto__', 'duration', 'cidr', 'password']),
    })),
  ...['oneOf', 'anyOf', 'allOf'].map((of) => (dice: Dice): Schema => {
    const tower = nested(dice.pick([3, 10]), (inner) => ({ [of]: [inner, { minProperties: 1 }, { not: inner }] }), {
      required: ['f0'],
    });
    return {
      type: 'object',
      properties: { f0: text },
      ...(dice.chance(0.5) ? tower : nested(dice.pick(depths), (inner) => ({ [of]: [inner] }), {})),
    };
  }),
  (dice) => ({
    type: 'object',
    properties: {
      f0: { ...text, minLength: dice.pick([-1, 2 ** 53, 1.5]), maxLength: dice.pick([0, -1, 2 ** 53]) },
      f1: { type: 'array', items: text, maxItems: -1, uniqueItems: dice.chance(0.5) },
      f2: { type: 'number', multipleOf: dice.pick([0, -1, 1e-308, 0.1]), minimum: 1e308 },
    },
  }),
  (dice) => ({
    type: 'object',
    properties: Object.fromEntries(
      oddTexts.map((name) => [name, { ...text, ...(dice.chance(0.3) && { default: name }) }]),
    ),
  }),
  (dice) => ({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': Array.from({ length: dice.pick([1, 3, 500]) }, (_, i) => `f${i}`),
    items: fields(dice.pick([1, 3, 500]), () => ({ ...text, default: 'x' })),
  }),
  (dice) => ({
    type: 'array',
    'x-kubernetes-list-type': dice.pick(['set', 'atomic', 'x']),
    items: dice.pick<Schema>([text, { type: 'object' }, {}]),
  }),
  () => ({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { f0: { type: 'object', 'x-kubernetes-embedded-resource': true } },
  }),
  (dice) => ({ 'x-kubernetes-int-or-string': true, default: oddValue(dice), nullable: true }),
  (dice) => ({
    type: 'object',
    properties: { a: text, b: { type: 'array', items: text } },
    'x-kubernetes-validations': Array.from({ length: dice.pick([1, 5, 100]) }, () => ({
      rule: dice.pick(rules),
      message: dice.pick(oddTexts),
      messageExpression: dice.pick(['', ...rules]),
      reason: dice.pick(['FieldValueInvalid', 'x']),
      fieldPath: dice.pick(['.a', '.b[0]', '.x', ...oddTexts]),
    })),
  }),
  (dice) => ({
    type: 'array',
    maxItems: dice.pick([10, 1_000_000]),
    items: { type: 'array', items: { ...text, 'x-kubernetes-validations': [{ rule: dice.pick(rules) }] } },
  }),
  () => ({ $ref: '#/definitions/x', definitions: { x: text } }),
  (dice) => ({
    type: 'object',
    properties: { f0: oddValue(dice) },
    [dice.pick(['patternProperties', 'dependencies', 'additionalItems', 'id', '$schema', 'x-y'])]: oddValue(dice),
  }),
  (dice) => oddValue(dice),
];

/** Returns a schema of a whole object. */
export const hostileSchema = (dice: Dice): unknown => ({
  type: 'object',
  properties: {
    spec: dice.pick(schemas)(dice),
    ...(dice.chance(0.3) && { status: dice.pick(schemas)(dice) }),
    ...(dice.chance(0.1) && {
      metadata: dice.pick<unknown>([{ type: 'object', properties: { name: { pattern: '^x' } } }, oddValue(dice)]),
    }),
  },
});
