import { expect, it } from 'vitest';
import { compileEmptyCollections } from './empty-collections.ts';
import { exampleType } from './example-types.test-data.ts';

const secrets = compileEmptyCollections(exampleType('core.v1.SecretList'))!;

it('makes null of a list that is always written and has nothing in it', () => {
  expect(secrets({ kind: 'SecretList', metadata: {}, items: [] })).toEqual({
    kind: 'SecretList',
    metadata: {},
    items: null,
  });
});

it('gives the same object where there is nothing to do', () => {
  const list = { metadata: {}, items: [{ metadata: { name: 'a' } }] };
  expect(secrets(list)).toBe(list);
  expect(secrets({})).toEqual({});
});

it('has nothing to say of a type without such fields', () => {
  expect(compileEmptyCollections(exampleType('core.v1.Secret'))).toBeUndefined();
});
