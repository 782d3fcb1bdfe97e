import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.ts';
import { anyElement, excludeFields, includeFields } from './field-set-filter.ts';
import { type FieldPath, fieldPath } from './path-element.ts';

const parse = (fields: unknown): FieldSet => FieldSet.fromFieldsV1(fields);
const text = (set: FieldSet): string => JSON.stringify(set.toFieldsV1());

const elements = [
  'f:a',
  'f:b',
  'f:😀',
  'f:\uffee',
  'k:{"name":"a"}',
  'k:{"id":1,"p":"x"}',
  'v:"a"',
  'v:2',
  'v:10',
  'i:0',
];
const paths: fc.Arbitrary<FieldPath> = fc.array(fc.constantFrom(...elements), { minLength: 1, maxLength: 4 });
const sets: fc.Arbitrary<FieldSet> = fc.array(paths, { maxLength: 8 }).map((list) => FieldSet.of(...list));

describe('fieldsV1', () => {
  it('is written in order, with a dot for a member that has others below it', () => {
    const set = FieldSet.of(
      ['f:spec', 'f:ports', 'k:{"port":80}', 'f:name'],
      ['f:spec', 'f:ports', 'k:{"port":80}'],
      ['f:spec', 'f:ports', 'k:{"port":9}'],
      ['f:metadata', 'f:labels', 'f:a'],
    );
    expect(text(set)).toBe(
      '{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:ports":{"k:{\\"port\\":9}":{},"k:{\\"port\\":80}":{".":{},"f:name":{}}}}}',
    );
  });

  it('is kept as it is when it is already canonical', () => {
    const fields = { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} };
    expect(parse(fields).toFieldsV1()).toBe(fields);
    expect(
      parse(fields)
        .difference(FieldSet.of(['f:c']))
        .toFieldsV1()['f:a'],
    ).toBe(fields['f:a']);
  });

  const tolerated: Record<string, [fields: unknown, written: string]> = {
    nothing: [undefined, '{}'],
    'another order': [{ 'f:b': {}, 'f:a': {} }, '{"f:a":{},"f:b":{}}'],
    'a dot where none is needed': [{ 'f:a': { '.': {} } }, '{"f:a":{}}'],
    'a dot for the object itself': [{ '.': {}, 'f:a': {} }, '{"f:a":{}}'],
    'null below a field': [{ 'f:a': null }, '{"f:a":{}}'],
    'an unknown kind of element': [{ 'x:y': {}, 'f:a': { 'x:y': {} } }, '{"f:a":{}}'],
    'two spellings of one element': [
      { 'k:{"a":1,"b":2}': { '.': {}, 'f:x': {} }, 'k:{"b":2,"a":1}': { 'f:y': {} } },
      '{"k:{\\"a\\":1,\\"b\\":2}":{".":{},"f:y":{}}}',
    ],
  };
  it.each(Object.entries(tolerated))('may hold %s', (_, [fields, written]) => {
    expect(text(parse(fields))).toBe(written);
  });

  it.each([[1], ['x'], [[]], [{ 'f:a': 1 }], [{ nonsense: {} }]])('may not be %j', (fields) => {
    expect(() => parse(fields)).toThrow();
  });

  it('may not be nested too deeply', () => {
    let fields: unknown = {};
    for (let i = 0; i < 100_000; i++) fields = { 'f:a': fields };
    expect(() => parse(fields)).toThrow('exceeded max depth');
  });

  it('is the same after encoding and decoding', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(parse(JSON.parse(text(set))).equals(set)).toBe(true);
        expect(text(parse(JSON.parse(text(set))))).toBe(text(set));
      }),
    );
  });
});

describe('algebra', () => {
  const same = (a: FieldSet, b: FieldSet): void => expect(text(a)).toBe(text(b));

  it('is the same as with sets of paths', () => {
    const keys = (set: FieldSet): Set<string> => new Set(Array.from(set.paths(), (path) => JSON.stringify(path)));
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [x, y] = [keys(a), keys(b)];
        expect(keys(a.union(b))).toEqual(new Set([...x, ...y]));
        expect(keys(a.intersection(b))).toEqual(new Set([...x].filter((path) => y.has(path))));
        expect(keys(a.difference(b))).toEqual(new Set([...x].filter((path) => !y.has(path))));
        expect(a.size).toBe(x.size);
        expect(a.isEmpty()).toBe(x.size === 0);
        for (const path of a.paths()) expect(a.has(path)).toBe(true);
        expect(a.equals(b)).toBe(text(a) === text(b));
      }),
    );
  });

  it('recursive difference also drops the paths below', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const kept = [...a.paths()].filter((path) => !path.some((_, i) => b.has(path.slice(0, i + 1))));
        same(a.recursiveDifference(b), FieldSet.of(...kept));
      }),
    );
  });

  it('leaves have no member below them', () => {
    fc.assert(
      fc.property(sets, (a) => {
        const all = [...a.paths()];
        const isAbove = (path: FieldPath, other: FieldPath): boolean =>
          other.length > path.length && path.every((element, i) => element === other[i]);
        same(a.leaves(), FieldSet.of(...all.filter((path) => !all.some((other) => isAbove(path, other)))));
      }),
    );
  });

  it('returns the operand itself when nothing changes', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const all = a.union(b);
        expect(all.union(b)).toBe(all);
        expect(a.intersection(all).equals(a)).toBe(true);
        const rest = a.difference(b);
        expect(rest.difference(b)).toBe(rest);
      }),
    );
  });
});

it('lists members before the paths below them', () => {
  const set = parse({ 'f:a': { 'f:x': {} }, 'f:b': { '.': {}, 'v:1': {} }, 'f:c': {} });
  expect(set.toString()).toBe('.b\n.c\n.a.x\n.b[=1]');
});

describe('filters', () => {
  const set = parse({
    'f:spec': {
      '.': {},
      'f:containers': {
        '.': {},
        'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:resources': { 'f:limits': { 'f:cpu': {} } } },
      },
      'f:replicas': {},
    },
    'f:status': {},
  });

  it('exclude fields and all below them', () => {
    expect(text(excludeFields(FieldSet.of(fieldPath('spec')))(set))).toBe('{"f:status":{}}');
  });

  it('include what matches a pattern', () => {
    const filter = includeFields(['spec', 'containers', anyElement, 'resources'], ['status']);
    expect(text(filter(set))).toBe(
      '{"f:spec":{".":{},"f:containers":{".":{},"k:{\\"name\\":\\"a\\"}":{".":{},"f:resources":{"f:limits":{"f:cpu":{}}}}}},"f:status":{}}',
    );
    expect(includeFields()(set)).toBe(set);
  });
});
