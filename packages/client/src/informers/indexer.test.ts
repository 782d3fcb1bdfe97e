import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Indexer, NAMESPACE_INDEX } from './indexer.ts';

interface Thing {
  metadata: { name: string; namespace?: string };
  tags: string[];
}
const thing = (name: string, namespace: string, tags: string[] = []): Thing => ({
  metadata: { name, namespace },
  tags,
});
const tags = { tags: ({ tags }: Thing) => tags };

describe('Indexer', () => {
  it('always has the objects and index entries that a scan would find', () => {
    const object = fc
      .tuple(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('one', 'two'), fc.subarray(['red', 'blue', 'red']))
      .map(([name, namespace, tags]) => thing(name, namespace, tags));
    const operation = fc.oneof(
      fc.record({ do: fc.constantFrom('add' as const, 'update' as const, 'delete' as const), object }),
      fc.record({ do: fc.constant('replace' as const), objects: fc.array(object, { maxLength: 5 }) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 20 }), (operations) => {
        const indexer = new Indexer<Thing>({ indexers: tags });
        const model = new Map<string, Thing>();
        for (const step of operations) {
          if (step.do === 'replace') {
            indexer.replace(step.objects);
            model.clear();
            for (const one of step.objects) model.set(indexer.keyOf(one), one);
          } else {
            indexer[step.do](step.object);
            if (step.do === 'delete') model.delete(indexer.keyOf(step.object));
            else model.set(indexer.keyOf(step.object), step.object);
          }
          const all = [...model.values()];
          expect(new Set(indexer.list())).toEqual(new Set(all));
          for (const tag of ['red', 'blue', 'green']) {
            const with_ = all.filter((one) => one.tags.includes(tag));
            expect(new Set(indexer.byIndex('tags', tag))).toEqual(new Set(with_));
            expect(indexer.indexKeys('tags', tag).sort()).toEqual(with_.map((one) => indexer.keyOf(one)).sort());
            expect(indexer.listIndexFuncValues('tags').includes(tag)).toBe(with_.length > 0);
          }
          for (const namespace of ['one', 'two']) {
            const there = all.filter((one) => one.metadata.namespace === namespace);
            expect(new Set(indexer.byIndex(NAMESPACE_INDEX, namespace))).toEqual(new Set(there));
          }
        }
      }),
    );
  });

  it('returns each object that shares an index value once', () => {
    const indexer = new Indexer<Thing>({ indexers: tags });
    const [a, b, c] = [thing('a', 'n', ['x', 'y']), thing('b', 'n', ['y', 'x']), thing('c', 'n', ['z'])];
    for (const one of [a, b, c]) indexer.add(one);
    expect(indexer.index('tags', a)).toEqual([a, b]);
  });

  it('is unchanged when an index function throws', () => {
    const picky = ({ tags }: Thing): string[] => {
      if (tags.includes('bad')) throw new Error('no');
      return tags;
    };
    const indexer = new Indexer<Thing>({ indexers: { picky } });
    const good = thing('a', 'n', ['good']);
    indexer.add(good);
    const bad = thing('a', 'elsewhere', ['bad']);
    expect(() => indexer.add({ ...bad, metadata: good.metadata })).toThrow(
      'unable to calculate an index entry for key "n/a" on index "picky"',
    );
    expect(() => indexer.replace([bad])).toThrow('on index "picky"');
    expect(indexer.list()).toEqual([good]);
    expect(indexer.byIndex('picky', 'good')).toEqual([good]);
    expect(indexer.listIndexFuncValues(NAMESPACE_INDEX)).toEqual(['n']);
  });

  it('accepts indexes after objects, but none twice', () => {
    const indexer = new Indexer<Thing>();
    indexer.add(thing('a', 'n', ['x']));
    indexer.addIndexers(tags);
    expect(indexer.indexKeys('tags', 'x')).toEqual(['n/a']);
    expect(indexer.countByIndex('tags', 'x')).toBe(1);
    expect(() => indexer.addIndexers({ tags: () => [] })).toThrow('indexer conflict: tags');
    expect(() => indexer.byIndex('other', 'x')).toThrow('Index with name other does not exist');
  });
});
