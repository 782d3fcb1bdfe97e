import { expect, it } from 'vitest';
import { partialList } from './partial-object.ts';

it('accepts an empty list with null items', () => {
  const empty = '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":null}';
  expect(partialList(JSON.parse(empty)).items).toEqual([]);
});

it('reduces full objects to their metadata', () => {
  const list = { kind: 'PodList', apiVersion: 'v1', items: [{ metadata: { name: 'a' }, spec: {} }] };
  expect(partialList(list)).toEqual({
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }],
  });
});
