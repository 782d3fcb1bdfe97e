import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/schema.ts';
import { FieldSet } from './field-set.ts';
import { frozen, widgetV1 } from './kinds.test-data.ts';
import { fieldPath } from './path-element.ts';
import { atomicList, listByKeys, struct } from './schema-builder.test-data.ts';
import { reconcileFieldSet, TypedValue } from './typed-value.ts';

const widget = (spec: unknown, options = {}): TypedValue => TypedValue.of(frozen({ spec }), widgetV1, options);
const fields = (set: FieldSet): unknown => JSON.parse(JSON.stringify(set.toFieldsV1()))['f:spec'] ?? {};

describe('atomics', () => {
  const cases: Record<string, [spec: unknown, paths: string[]]> = {
    none: [{ size: 1, map: { a: 'x' }, tags: ['a'] }, []],
    'lists, maps and structs': [
      { atomicList: ['a'], atomicMap: { a: 'b' }, atomicStruct: { p: 'q' } },
      ['.spec.atomicList', '.spec.atomicMap', '.spec.atomicStruct'],
    ],
    'lists without a schema': [{ any: [1] }, ['.spec.any']],
  };
  for (const [sentence, [spec, paths]] of Object.entries(cases))
    it(sentence, () => {
      expect(widget(spec).atomics()).toEqual(paths);
    });

  it('in list items have the index in their path', () => {
    const schema = struct({ rows: listByKeys(['id'], struct({ id: 'string', args: atomicList('string') })) });
    const value = TypedValue.of({ rows: [{ id: 'a' }, { id: 'b', args: ['x'] }] }, schema);
    expect(value.atomics()).toEqual(['.rows[1].args']);
  });
});

describe('the fields a configuration claims', () => {
  const cases: Record<string, [spec: unknown, fields: unknown]> = {
    'a scalar': [{ size: 1 }, { 'f:size': {} }],
    'null, which claims the field': [
      { size: null, tags: null },
      { 'f:size': {}, 'f:tags': {} },
    ],
    'a struct, through its fields': [{ struct: { q: { r: 'x' } } }, { 'f:struct': { 'f:q': { 'f:r': {} } } }],
    'an empty struct': [{ struct: {} }, { 'f:struct': {} }],
    'the keys of a map': [{ map: { a: 'x' } }, { 'f:map': { 'f:a': {} } }],
    'structs in a map': [{ nested: { a: { x: 'y' } } }, { 'f:nested': { 'f:a': { '.': {}, 'f:x': {} } } }],
    'no empty list': [{ tags: [], rows: [], size: 1 }, { 'f:size': {} }],
    'an empty atomic list': [{ atomicList: [] }, { 'f:atomicList': {} }],
    'atomics as a whole': [
      { atomicList: ['a'], atomicMap: { a: 'b' }, atomicStruct: { p: 'q' } },
      { 'f:atomicList': {}, 'f:atomicMap': {}, 'f:atomicStruct': {} },
    ],
    'items of a set': [{ tags: ['b', 'a'] }, { 'f:tags': { 'v:"a"': {}, 'v:"b"': {} } }],
    'items by keys, defaults for absent ones': [
      { rows: [{ id: 1, v: 'x' }] },
      { 'f:rows': { 'k:{"id":1,"zone":"z"}': { '.': {}, 'f:id': {}, 'f:v': {} } } },
    ],
    'items without some of their keys': [
      { opt: [{ a: 'x' }, { b: 'x' }] },
      { 'f:opt': { 'k:{"a":"x"}': { '.': {}, 'f:a': {} }, 'k:{"b":"x"}': { '.': {}, 'f:b': {} } } },
    ],
    'values without a schema, by their actual type': [
      { any: { a: [1], b: { c: 1 } } },
      { 'f:any': { 'f:a': {}, 'f:b': { '.': {}, 'f:c': {} } } },
    ],
    'undeclared fields': [
      { open: { known: { k: 'x', l: 1 }, y: { z: 1 } } },
      { 'f:open': { 'f:known': { 'f:k': {}, 'f:l': {} }, 'f:y': { '.': {}, 'f:z': {} } } },
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [spec, expected]) => {
    expect(fields(widget(spec).toFieldSet())).toEqual(expected);
  });

  it('duplicates are owned as one', () => {
    const value = widget({ rows: [{ id: 1, v: 'x' }, { id: 1 }, { id: 2 }] }, { allowDuplicates: true });
    expect(fields(value.toFieldSet())).toEqual({
      'f:rows': { 'k:{"id":1,"zone":"z"}': {}, 'k:{"id":2,"zone":"z"}': { '.': {}, 'f:id': {} } },
    });
  });
});

describe('a comparison', () => {
  interface Case {
    readonly before: unknown;
    readonly after: unknown;
    readonly added?: unknown;
    readonly modified?: unknown;
    readonly removed?: unknown;
  }
  const cases: Record<string, Case> = {
    'of new fields, containers included': {
      before: {},
      after: { struct: { q: { r: 'x' } }, tags: ['a'] },
      added: { 'f:struct': { '.': {}, 'f:q': { '.': {}, 'f:r': {} } }, 'f:tags': { '.': {}, 'v:"a"': {} } },
    },
    'of null that becomes something': {
      before: { tags: null },
      after: { tags: ['a'] },
      added: { 'f:tags': { 'v:"a"': {} } },
    },
    'of null and empty': { before: { tags: null }, after: { tags: [] }, modified: { 'f:tags': {} } },
    'of items that changed places': { before: { tags: ['a', 'b'] }, after: { tags: ['b', 'a'] } },
    'of an atomic list whose items changed places': {
      before: { atomicList: ['a', 'b'] },
      after: { atomicList: ['b', 'a'] },
      modified: { 'f:atomicList': {} },
    },
    'of list items': {
      before: { rows: [{ id: 1, v: 'x' }, { id: 2 }] },
      after: { rows: [{ id: 3 }, { id: 1, v: 'y' }] },
      added: { 'f:rows': { 'k:{"id":3,"zone":"z"}': { '.': {}, 'f:id': {} } } },
      modified: { 'f:rows': { 'k:{"id":1,"zone":"z"}': { 'f:v': {} } } },
      removed: { 'f:rows': { 'k:{"id":2,"zone":"z"}': { '.': {}, 'f:id': {} } } },
    },
    'of a map that became a string': {
      before: { any: { a: 1 } },
      after: { any: 'x' },
      modified: { 'f:any': {} },
      removed: { 'f:any': { 'f:a': {} } },
    },
    'of an item that got a duplicate': {
      before: { tags: ['a'] },
      after: { tags: ['a', 'a'] },
      added: { 'f:tags': { 'v:"a"': {} } },
      removed: { 'f:tags': { 'v:"a"': {} } },
    },
    'of a duplicate that is single again': {
      before: { rows: [{ id: 1 }, { id: 1, v: 'x' }] },
      after: { rows: [{ id: 1 }] },
      added: { 'f:rows': { 'k:{"id":1,"zone":"z"}': { '.': {}, 'f:id': {} } } },
      removed: { 'f:rows': { 'k:{"id":1,"zone":"z"}': {} } },
    },
    'of duplicates': {
      before: { rows: [{ id: 1 }, { id: 1, v: 'x' }] },
      after: { rows: [{ id: 1 }, { id: 1, v: 'y' }] },
      modified: { 'f:rows': { 'k:{"id":1,"zone":"z"}': {} } },
    },
  };
  it.each(Object.entries(cases))('%s', (_, { before, after, added = {}, modified = {}, removed = {} }) => {
    const options = { allowDuplicates: true };
    const comparison = widget(before, options).compare(widget(after, options));
    const found = {
      added: fields(comparison.added),
      modified: fields(comparison.modified),
      removed: fields(comparison.removed),
    };
    expect(found).toEqual({ added, modified, removed });
  });
});

describe('a merge', () => {
  const cases: Record<string, [live: unknown, config: unknown, merged: unknown]> = {
    'keeps what only one side has': [
      { size: 1, map: { a: 'x' } },
      { map: { b: 'y' } },
      { size: 1, map: { a: 'x', b: 'y' } },
    ],
    'prefers the configuration': [
      { size: 1, atomicMap: { a: 'x' } },
      { size: 2, atomicMap: {} },
      { size: 2, atomicMap: {} },
    ],
    'with null keeps maps and lists that are not empty': [
      { map: { a: 'x' }, tags: ['a'], size: 1 },
      { map: null, tags: null, size: null },
      { map: { a: 'x' }, tags: ['a'], size: null },
    ],
    'with null replaces empty maps and lists': [
      { map: {}, tags: [] },
      { map: null, tags: null },
      { map: null, tags: null },
    ],
    'keeps the order of items that only one side has': [
      { tags: ['a', 'b', 'c'] },
      { tags: ['x', 'b', 'y'] },
      { tags: ['a', 'x', 'b', 'c', 'y'] },
    ],
    'orders the items of both sides as the configuration does': [
      { tags: ['a', 'b', 'c', 'd'] },
      { tags: ['d', 'b'] },
      { tags: ['a', 'c', 'd', 'b'] },
    ],
    'merges items by keys': [
      { rows: [{ id: 1, v: 'x' }, { id: 2 }] },
      { rows: [{ id: 2, v: 'y' }, { id: 3 }] },
      { rows: [{ id: 1, v: 'x' }, { id: 2, v: 'y' }, { id: 3 }] },
    ],
    'replaces duplicates': [
      { rows: [{ id: 1, v: 'x' }, { id: 2 }, { id: 1 }] },
      { rows: [{ id: 1, v: 'y' }] },
      { rows: [{ id: 1, v: 'y' }, { id: 2 }] },
    ],
    'of different kinds of values': [{ any: { a: 1 } }, { any: [1] }, { any: [1] }],
    'keeps keys such as __proto__': [
      { map: JSON.parse('{"__proto__":"a","constructor":"b"}') },
      { map: JSON.parse('{"__proto__":"c","x":"d"}') },
      { map: JSON.parse('{"__proto__":"c","constructor":"b","x":"d"}') },
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [live, config, merged]) => {
    const result = widget(live, { allowDuplicates: true }).merge(widget(config)).value;
    expect(JSON.stringify(result)).toBe(JSON.stringify({ spec: merged }));
  });

  it('returns the live object itself when it changes nothing', () => {
    const live = widget({ tags: ['a', 'b'], map: { a: 'x' }, atomicList: ['a'] });
    expect(live.merge(widget({ tags: ['b'], map: { a: 'x' }, atomicList: ['a'] })).value).toBe(live.value);
  });
});

describe('removing and extracting', () => {
  const value = widget({
    size: 1,
    tags: ['a', 'b'],
    map: { a: 'x', b: 'y' },
    rows: [
      { id: 1, v: 'x', zone: 'q' },
      { id: 2, v: 'y' },
    ],
    atomicList: ['a'],
    struct: { p: 'x', q: { r: 'y' } },
  });
  const set = FieldSet.fromFieldsV1({
    'f:spec': {
      'f:size': {},
      'f:tags': { 'v:"a"': {} },
      'f:map': { 'f:a': {} },
      'f:rows': { 'k:{"id":1,"zone":"q"}': { 'f:v': {} }, 'k:{"id":2,"zone":"z"}': {} },
      'f:atomicList': {},
      'f:struct': { 'f:q': { 'f:r': {} } },
      'f:absent': {},
    },
  });

  it('removeItems removes the fields and leaves null for a struct that lost all of them', () => {
    expect(value.removeItems(set).value).toEqual({
      spec: { tags: ['b'], map: { b: 'y' }, rows: [{ id: 1, zone: 'q' }], struct: { p: 'x', q: null } },
    });
  });

  it('extractItems keeps only the fields in the set', () => {
    expect(value.extractItems(set).value).toEqual({
      spec: {
        size: 1,
        tags: ['a'],
        map: { a: 'x' },
        rows: [{ v: 'x' }, { id: 2, v: 'y' }],
        atomicList: ['a'],
        struct: { q: { r: 'y' } },
      },
    });
  });

  it('withNamedFields adds the struct fields above a member', () => {
    expect(JSON.stringify(value.withNamedFields(set).toFieldsV1())).toContain(
      '"f:struct":{".":{},"f:q":{".":{},"f:r":{}}}',
    );
  });
});

describe('what does not fit the schema', () => {
  const keyed: Schema = struct({ list: listByKeys(['a', 'b'], struct({ a: 'string', b: 'string' })) });
  const cases: Record<string, [value: unknown, message: string]> = {
    'all keys missing': [
      { list: [{ a: 'x' }, {}] },
      `.list: element 1: associative list with keys has an element that omits all key fields ["a" "b"] (and doesn't have default values for any key fields)`,
    ],
    'a string among keyed items': [
      { list: ['x'] },
      '.list: element 0: associative list with keys may not have non-map elements',
    ],
    'a thousand duplicates, and no more': [
      { list: Array.from({ length: 50_000 }, () => ({ a: 'x' })) },
      `errors:${'\n  .list: duplicate entries for key [a="x"]'.repeat(1000)}`,
    ],
    'duplicates, once each': [
      { list: [{ a: 'x' }, { a: 'x' }, { a: 'x' }] },
      'errors:\n  .list: duplicate entries for key [a="x"]\n  .list: duplicate entries for key [a="x"]',
    ],
    'a value inside an item': [
      { list: [{ a: 'x', b: 1 }] },
      '.list[a="x",b=1].b: expected string, got &value.valueUnstructured{Value:1}',
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [value, message]) => {
    expect(() => TypedValue.of(value, keyed)).toThrow(expect.objectContaining({ message }));
  });

  it('a list in a set', () => {
    expect(() => widget({ tags: [['a']] })).toThrow(
      '.spec.tags: element 0: not supported: associative list with lists as elements',
    );
  });

  it('duplicates may be allowed, other violations may not', () => {
    expect(() => widget({ tags: ['a', 'a'] }, { allowDuplicates: true })).not.toThrow();
    expect(() => widget({ tags: [null] }, { allowDuplicates: true })).toThrow('explicit null');
  });

  it('a value nested too deeply', () => {
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i++) deep = { a: deep };
    expect(() => widgetless(deep)).toThrow('exceeded max depth');
  });
  const widgetless = (value: unknown): TypedValue => TypedValue.of({ any: value }, { kind: 'any' });
});

it('fields owned below a field that became atomic become ownership of that field', () => {
  const set = FieldSet.fromFieldsV1({
    'f:spec': {
      'f:atomicMap': { 'f:a': {}, 'f:b': {} },
      'f:atomicList': { '.': {}, 'i:0': {} },
      'f:map': { 'f:a': {} },
      'f:any': { 'f:a': { 'f:b': {} } },
      'f:gone': { 'f:x': {} },
    },
  });
  expect(fields(reconcileFieldSet(set, widgetV1))).toEqual({
    'f:any': { 'f:a': { 'f:b': {} } },
    'f:atomicList': {},
    'f:atomicMap': {},
    'f:gone': { 'f:x': {} },
    'f:map': { 'f:a': {} },
  });
  expect(
    reconcileFieldSet(FieldSet.fromFieldsV1({ 'f:spec': { 'f:size': {} } }), widgetV1).has(['f:spec', 'f:size']),
  ).toBe(true);
});

describe('laws', () => {
  const word = fc.constantFrom('a', 'b', 'c', '__proto__');
  const words = fc.uniqueArray(word, { maxLength: 3 });
  const maps = <T>(values: fc.Arbitrary<T>) =>
    fc.array(fc.tuple(word, values), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
  const specs = fc.record(
    {
      size: fc.nat(2),
      tags: words,
      atomicList: words,
      map: maps(word),
      atomicMap: maps(word),
      rows: fc.uniqueArray(fc.record({ id: fc.nat(2), v: word }, { requiredKeys: ['id'] }), {
        maxLength: 3,
        selector: ({ id }) => id,
      }),
      struct: fc.record(
        { p: word, q: fc.record({ r: word, s: fc.nat(2) }, { requiredKeys: [] }) },
        { requiredKeys: [] },
      ),
      any: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: [] },
  );
  const widgets = specs.map((spec) => widget(JSON.parse(JSON.stringify(spec))));

  it('swapping the sides of a comparison swaps added and removed', () => {
    fc.assert(
      fc.property(widgets, widgets, (a, b) => {
        const [there, back] = [a.compare(b), b.compare(a)];
        expect(there.added.equals(back.removed)).toBe(true);
        expect(there.removed.equals(back.added)).toBe(true);
        expect(there.modified.equals(back.modified)).toBe(true);
      }),
    );
  });

  it('a value does not differ from its copy, nor from itself merged into itself', () => {
    fc.assert(
      fc.property(widgets, (a) => {
        const copy = TypedValue.of(JSON.parse(JSON.stringify(a.value)), widgetV1);
        const { added, modified, removed } = a.compare(copy);
        expect(added.isEmpty() && modified.isEmpty() && removed.isEmpty()).toBe(true);
        expect(a.merge(copy).value).toBe(a.value);
      }),
    );
  });

  it('values seen before affect neither the field set of a value nor its comparison', () => {
    const rows = fc.array(fc.record({ id: fc.nat(2), v: word }, { requiredKeys: ['id'] }), { maxLength: 3 });
    const met = fc.array(fc.tuple(specs, rows), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(met, (drawn) => {
        for (const [spec, duplicates] of drawn) {
          const value = JSON.parse(JSON.stringify({ spec: { ...spec, rows: [...(spec.rows ?? []), ...duplicates] } }));
          const [here, elsewhere] = [widgetV1, structuredClone(widgetV1)].map((schema) => {
            const typed = TypedValue.of(value, schema, { allowDuplicates: true });
            const from = TypedValue.of({ spec: { rows: null, map: {} } }, schema);
            return [typed.toFieldSet(), ...Object.values(from.compare(typed))].map((set) => set.toFieldsV1());
          });
          expect(here).toEqual(elsewhere);
          expect(JSON.stringify(here)).toBe(JSON.stringify(elsewhere));
        }
      }),
    );
  });

  it('a merge removes nothing, and merging again changes nothing', () => {
    fc.assert(
      fc.property(widgets, widgets, (live, config) => {
        const merged = live.merge(config);
        // Only the untyped field can change from a value with content to one without.
        const lost = live.compare(merged).removed.union(config.compare(merged).removed);
        expect(lost.recursiveDifference(FieldSet.of(fieldPath('spec', 'any'))).toString()).toBe('');
        expect(merged.merge(config).value).toBe(merged.value);
      }),
    );
  });
});
