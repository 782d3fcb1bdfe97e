import { expect, it } from 'vitest';
import {
  addFinalizer,
  getAnnotation,
  getLabel,
  hasFinalizer,
  isBeingDeleted,
  isList,
  objectKey,
  removeFinalizer,
  setAnnotation,
  setLabel,
  splitObjectKey,
} from './accessor.ts';
import type { KubernetesObject } from './type-meta.ts';

it.each([
  [{ metadata: { name: 'a', namespace: 'n' } }, 'n/a'],
  [{ metadata: { name: 'a' } }, 'a'],
  [{}, ''],
])('the key of %j is %j', (object, key) => {
  expect(objectKey(object)).toBe(key);
});

it('splits keys', () => {
  expect(splitObjectKey('n/a')).toEqual({ namespace: 'n', name: 'a' });
  expect(splitObjectKey('a')).toEqual({ namespace: '', name: 'a' });
  expect(() => splitObjectKey('a/b/c')).toThrow('unexpected key format: "a/b/c"');
});

it('reads and writes labels and annotations as own keys only', () => {
  const object: KubernetesObject = {};
  expect(getLabel(object, 'constructor')).toBeUndefined();
  setLabel(object, '__proto__', 'polluted');
  setLabel(object, 'app', 'web');
  setAnnotation(object, 'note', 'x');
  expect(getLabel(object, 'constructor')).toBeUndefined();
  expect(getLabel(object, '__proto__')).toBe('polluted');
  expect(getLabel(object, 'app')).toBe('web');
  expect(getAnnotation(object, 'note')).toBe('x');
  expect(JSON.stringify(object.metadata?.labels)).toBe('{"__proto__":"polluted","app":"web"}');
  expect(Object.getPrototypeOf(object.metadata?.labels)).toBe(Object.prototype);
});

it('adds and removes finalizers once', () => {
  const object: KubernetesObject = {};
  expect(addFinalizer(object, 'f')).toBe(true);
  expect(addFinalizer(object, 'f')).toBe(false);
  expect(hasFinalizer(object, 'f')).toBe(true);
  expect(removeFinalizer(object, 'f')).toBe(true);
  expect(removeFinalizer(object, 'f')).toBe(false);
  expect(object.metadata?.finalizers).toEqual([]);
});

it('detects lists and objects being deleted', () => {
  expect(isList({ kind: 'PodList', items: [] })).toBe(true);
  expect(isList({ kind: 'Pod' })).toBe(false);
  expect(isList(null)).toBe(false);
  expect(isBeingDeleted({ metadata: { deletionTimestamp: '2025-01-01T00:00:00Z' } })).toBe(true);
  expect(isBeingDeleted({ metadata: {} })).toBe(false);
});
