import { describe, expect, it } from 'vitest';
import { inInstallOrder } from './install-order.ts';
import { readManifests } from './read-manifests.ts';

const object = (kind: string, name = 'a') => ({ apiVersion: 'v1', kind, metadata: { name } });

describe('manifests', () => {
  it('are read from YAML, JSON, objects, and lists of any of these', () => {
    const yaml =
      '# nothing\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n---\n{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}\n';
    expect(readManifests(yaml).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [object('Pod'), { kind: 'PodList', items: [object('Pod', 'c')] }],
    };
    expect(readManifests([list, object('Pod', 'd')]).map(({ metadata }) => metadata.name)).toEqual(['a', 'c', 'd']);
  });

  it.each([
    ['kind: Pod\nmetadata: {name: a}', '{"kind":"Pod","metadata":{"name":"a"}}'],
    ['apiVersion: v1\nkind: Pod\nmetadata: {generateName: a}', '"generateName":"a"'],
    ['just text', '"just text"'],
  ])('%j is not a manifest', (yaml, shown) => {
    expect(() => readManifests(yaml)).toThrow('a manifest needs apiVersion, kind and metadata.name: ');
    expect(() => readManifests(yaml)).toThrow(shown);
  });

  it('are sorted so that they can be created, and keep their order within a kind', () => {
    const kinds = ['Widget', 'Deployment', 'Service', 'Namespace', 'ConfigMap', 'CustomResourceDefinition'];
    expect(inInstallOrder(kinds.map((kind) => object(kind))).map(({ kind }) => kind)).toEqual([
      ...['CustomResourceDefinition', 'Namespace', 'ConfigMap', 'Service', 'Deployment', 'Widget'],
    ]);
    const same = [object('Pod', 'z'), object('Pod', 'a')];
    expect(inInstallOrder(same)).toEqual(same);
  });
});
