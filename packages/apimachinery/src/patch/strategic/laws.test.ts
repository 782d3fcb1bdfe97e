import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../json/go-value.ts';
import { isJsonObject } from '../../json/index.ts';
import type { Field, Schema, StructSchema } from '../../schema/schema.ts';
import { mapEntries } from '../map-entries.ts';
import { schemaOf } from '../patch.test-data.ts';
import {
  applyStrategicMergePatch,
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  mergeStrategicMergePatches,
} from './strategic-merge-patch.ts';

const names = fc.constantFrom('a', 'b', 'c', 'd');

/** Values of a schema, in which merged lists have no two items with the same key. */
function valueOfSchema(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.kind) {
    case 'struct':
      return objectOf(schema);
    case 'map':
      return fc.dictionary(names, valueOfSchema(schema.values), { maxKeys: 3 });
    case 'list':
      return fc.array(valueOfSchema(schema.items), { maxLength: 3 });
    case 'bool':
      return fc.boolean();
    case 'int32':
    case 'int64':
      return fc.constantFrom(1, 9, 80, 443);
    default:
      return names;
  }
}

function fieldValue({ schema, patchStrategy, mergeKey }: Field): fc.Arbitrary<unknown> {
  if (schema.kind !== 'list' || !patchStrategy.includes('merge')) return valueOfSchema(schema);
  if (mergeKey === undefined || schema.items.kind !== 'struct') return fc.uniqueArray(names, { maxLength: 4 });
  const key = schema.items.fields.get(mergeKey)!;
  const item = fc
    .tuple(objectOf(schema.items), valueOfSchema(key.schema))
    .map(([rest, value]): JsonObject => ({ ...rest, [mergeKey]: value }));
  return fc.uniqueArray(item, { maxLength: 4, selector: (entry) => entry[mergeKey] });
}

function objectOf(schema: StructSchema): fc.Arbitrary<JsonObject> {
  const fields = Object.fromEntries([...schema.fields].map(([name, field]) => [name, fieldValue(field)]));
  return fc.record(fields, { requiredKeys: [] });
}

const schema = schemaOf('apps/v1/Deployment');
const object = objectOf(schema);

/**
 * Replaces finalizers by sets, so that their order does not matter: upstream detects that a list of scalars was reordered only when the
 * new order is not alphabetical.
 */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unordered);
  if (!isJsonObject(value)) return value;
  return mapEntries(value, (entry, key) =>
    key === 'finalizers' && Array.isArray(entry) ? new Set(entry) : unordered(entry),
  );
}

/** Drops the directives that a patch left in added values, as decoding drops all unknown fields. */
function decoded(object: JsonObject): JsonObject {
  const clean = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(clean) : isJsonObject(value) ? decoded(value) : value;
  return mapEntries(object, (value, key) => (key.startsWith('$') ? undefined : clean(value)));
}

const apply = (original: JsonObject, patch: JsonObject) => applyStrategicMergePatch(original, patch, schema);
const twoWay = (original: JsonObject, modified: JsonObject) => createTwoWayMergePatch(original, modified, schema);
const threeWay = (original: JsonObject, modified: JsonObject, current: JsonObject) =>
  createThreeWayMergePatch(original, modified, current, schema, { overwrite: true });

it('applying a two-way patch gives the modified object', () => {
  fc.assert(
    fc.property(object, object, (original, modified) => {
      expect(unordered(apply(original, twoWay(original, modified)))).toEqual(unordered(modified));
    }),
  );
});

it('applying a two-way patch twice is applying it once', () => {
  fc.assert(
    fc.property(object, object, (original, modified) => {
      const patch = twoWay(original, modified);
      const once = apply(original, patch);
      expect(apply(once, patch)).toEqual(once);
    }),
  );
});

it('the empty patch is the identity', () => {
  fc.assert(
    fc.property(object, (original) => {
      expect(apply(original, {})).toEqual(original);
    }),
  );
});

it('a three-way patch whose original is current is a two-way patch', () => {
  fc.assert(
    fc.property(object, object, (current, modified) => {
      const patched = apply(current, threeWay(current, modified, current));
      expect(unordered(patched)).toEqual(unordered(modified));
    }),
  );
});

it('after a three-way patch there is nothing left to apply', () => {
  fc.assert(
    fc.property(object, object, object, (original, modified, current) => {
      const patched = decoded(apply(current, threeWay(original, modified, current)));
      expect(unordered(apply(patched, threeWay(modified, modified, patched)))).toEqual(unordered(patched));
    }),
  );
});

it('inputs are not modified', () => {
  fc.assert(
    fc.property(object, object, object, (a, b, c) => {
      const before = JSON.stringify([a, b, c]);
      const patch = twoWay(a, b);
      const patchBefore = JSON.stringify(patch);
      apply(a, patch);
      mergeStrategicMergePatches(schema, patch, twoWay(b, b));
      threeWay(a, b, c);
      expect(JSON.stringify([a, b, c])).toBe(before);
      expect(JSON.stringify(patch)).toBe(patchBefore);
    }),
  );
});

it('a merged patch has the effect of its parts, where they change different fields', () => {
  const first = { metadata: { labels: { a: '1', b: null } }, spec: { replicas: 3 } };
  const second = { metadata: { labels: { c: '2' } }, spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
  const merged = mergeStrategicMergePatches(schema, first, second);
  expect(merged).toEqual({
    metadata: { labels: { a: '1', b: null, c: '2' } },
    spec: { replicas: 3, strategy: { $retainKeys: ['type'], type: 'Recreate' } },
  });
  const original = {
    metadata: { labels: { b: 'x' } },
    spec: { strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
  };
  expect(apply(original, merged)).toEqual(apply(apply(original, first), second));
});
