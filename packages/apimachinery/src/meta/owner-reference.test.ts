import { expect, it } from 'vitest';
import { GroupVersionKind } from './group-version.ts';
import { getControllerOf, getControllerOfNoCopy, isControlledBy, newControllerRef } from './owner-reference.ts';

const owner = { metadata: { name: 'web', uid: '1' } };
const reference = newControllerRef(owner, GroupVersionKind.of('apps', 'v1', 'ReplicaSet'));

it('makes a reference that blocks the owner’s deletion', () => {
  expect(reference).toEqual({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: '1',
    controller: true,
    blockOwnerDeletion: true,
  });
});

it('finds the controller among the owners, as a copy', () => {
  const other = { ...reference, uid: '2', controller: false };
  const object = { metadata: { ownerReferences: [other, reference] } };
  expect(getControllerOf(object)).toEqual(reference);
  expect(getControllerOf(object)).not.toBe(reference);
  expect(getControllerOf({ metadata: { ownerReferences: [other] } })).toBeUndefined();
  expect(getControllerOf({})).toBeUndefined();
  expect(getControllerOfNoCopy(object)).toBe(reference);
  expect(getControllerOfNoCopy({ metadata: { ownerReferences: [other] } })).toBeUndefined();
  expect(getControllerOfNoCopy({})).toBeUndefined();
});

it('compares the uid, not the name', () => {
  const object = { metadata: { ownerReferences: [reference] } };
  expect(isControlledBy(object, owner)).toBe(true);
  expect(isControlledBy(object, { metadata: { name: 'web', uid: '2' } })).toBe(false);
  expect(isControlledBy({}, owner)).toBe(false);
});
