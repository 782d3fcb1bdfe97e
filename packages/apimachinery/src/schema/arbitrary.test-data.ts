import fc from 'fast-check';
import { compileNormalizer } from './normalizer.ts';
import type { Field, ScalarKind, Schema, StructSchema } from './schema.ts';

/** Draws a value. Shrinks towards the simplest one. */
type Draw = fc.GeneratorValue;

const times = fc.date({
  min: new Date('0002-01-01T00:00:00Z'),
  max: new Date('9998-12-31T00:00:00Z'),
  noInvalidDate: true,
});
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.constantFrom('a', '', 'y', '1', '__proto__'),
);
const int64 = fc.oneof(
  fc.maxSafeInteger(),
  fc.nat(200),
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)),
);
/** JSON whose numbers every format preserves. */
const json = fc.oneof(
  fc.constantFrom<unknown>(true, 'x', 3, { a: [1, null, 'b'] }, { apiVersion: 'v1', kind: 'Any', spec: { n: 2 } }),
  fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), fc.constantFrom(1, 'a', null, {}, []), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
);

const scalars: Readonly<Record<ScalarKind, fc.Arbitrary<unknown>>> = {
  string: text,
  bytes: fc.uint8Array({ maxLength: 7 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  bool: fc.boolean(),
  int32: fc.integer(),
  int64,
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  quantity: fc.oneof(
    fc.constantFrom('0', '1', '500m', '1.5Gi', '1e3', '100Mi', '0.5', '-3k', '12E', '1n'),
    fc
      .tuple(fc.nat(99_999), fc.constantFrom('', 'm', 'k', 'Ki', 'Mi', 'G'))
      .map(([number, suffix]) => `${number}${suffix}`),
  ),
  intOrString: fc.oneof(fc.integer(), text),
  time: times.map((date) => `${date.toISOString().slice(0, 19)}Z`),
  microTime: fc
    .tuple(times, fc.nat(999_999))
    .map(([date, micros]) => `${date.toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`),
  duration: fc.constantFrom('0s', '1s', '1m30s', '1h0m0s', '300ms', '-5s', '1.5s'),
  any: json,
  rawObject: json,
  unknownObject: json,
  fieldsV1: fc.constantFrom({ 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }, { '.': {} }),
};

// Generators must be the same functions each time, otherwise failing examples cannot be shrunk.
const drawText = (): fc.Arbitrary<string> => text;
const drawScalar = (kind: ScalarKind): fc.Arbitrary<unknown> => scalars[kind];

const maxDepth = 6;

function draw(schema: Schema, pick: Draw, depth: number): unknown {
  switch (schema.kind) {
    case 'struct':
      return drawStruct(schema, pick, depth);
    case 'list': {
      const length = pick(fc.integer, { min: 1, max: depth > 3 ? 1 : 3 });
      return Array.from({ length }, () => draw(schema.items, pick, depth + 1));
    }
    case 'map': {
      const keys = pick(fc.uniqueArray<string, string>, text, { minLength: 1, maxLength: depth > 3 ? 1 : 3 });
      return Object.fromEntries(keys.map((key) => [key, draw(schema.values, pick, depth + 1)]));
    }
    case 'schemaOr':
      if (!pick(fc.boolean)) return drawStruct(schema.schema, pick, depth + 1);
      if (schema.alternative === 'bool') return pick(fc.boolean);
      return [schema.alternative === 'array' ? drawStruct(schema.schema, pick, depth + 1) : pick(drawText)];
    default:
      return pick(drawScalar, schema.kind);
  }
}

/** Returns the fields that are encoded in protobuf; all fields of a type that has no protobuf encoding. */
function carriedFields(schema: StructSchema): Field[] {
  if (schema.declared.every(({ number }) => number === 0)) return [...schema.fields.values()];
  return schema.declared
    .filter(({ number }) => number > 0)
    .flatMap((field) => (field.inline && field.schema.kind === 'struct' ? carriedFields(field.schema) : [field]));
}

/** Large types get few of their fields. At the maximum depth, structs get only fields that end the recursion. */
function drawStruct(schema: StructSchema, pick: Draw, depth: number): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  const chance = Math.max(2, Math.floor(schema.fields.size / 4));
  for (const field of carriedFields(schema)) {
    const { name } = field;
    const isLeaf = !['struct', 'list', 'map', 'schemaOr'].includes(field.schema.kind);
    if ((isLeaf || depth < maxDepth) && pick(fc.integer, { min: 1, max: chance }) === 1) {
      object[name] = draw(field.schema, pick, depth + 1);
    }
  }
  return object;
}

/**
 * Generates objects of a type, in canonical form, that every format preserves: without lists and maps that are empty but written, which
 * protobuf cannot distinguish from absent ones, and without apiVersion and kind, which are encoded beside the object.
 */
export function arbitraryFor(schema: StructSchema): fc.Arbitrary<Record<string, unknown>> {
  const normalize = compileNormalizer(schema);
  return fc.gen().map((pick) => normalize(drawStruct(schema, pick, 0)).object);
}
