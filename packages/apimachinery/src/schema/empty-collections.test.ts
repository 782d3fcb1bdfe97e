import { expect, it } from 'vitest';
import { compileEmptyCollections } from './empty-collections.ts';
import { exampleType } from './example-types.test-data.ts';

const secrets = compileEmptyCollections(exampleType('core.v1.SecretList'))!;

it('replaces an empty list that is always written by null', () => {
  expect(secrets({ kind: 'SecretList', metadata: {}, items: [] })).toEqual({
    kind: 'SecretList',
    metadata: {},
    items: null,
  });
});

it('returns the same object when there is nothing to replace', () => {
  const list = { metadata: {}, items: [{ metadata: { name: 'a' } }] };
  expect(secrets(list)).toBe(list);
  expect(secrets({})).toEqual({});
});

it('is undefined for a type without such fields', () => {
  expect(compileEmptyCollections(exampleType('core.v1.Secret'))).toBeUndefined();
});
