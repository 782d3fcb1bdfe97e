import type { Taint, Toleration } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { toleratesTaint, untoleratedTaint } from './taints.ts';

const taint: Taint = { key: 'k', value: 'v', effect: 'NoSchedule' };

it.each<[string, Toleration, boolean]>([
  ['its value', { key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }, true],
  ['its value, by default', { key: 'k', value: 'v' }, true],
  ['another value', { key: 'k', value: 'w' }, false],
  ['no value', { key: 'k' }, false],
  ['any value', { key: 'k', operator: 'Exists' }, true],
  ['any key', { operator: 'Exists' }, true],
  ['another key', { key: 'l', operator: 'Exists' }, false],
  ['another effect', { key: 'k', operator: 'Exists', effect: 'NoExecute' }, false],
  ['numbers above one', { key: 'k', operator: 'Gt', value: '1' }, false],
])('a toleration of %s', (_, toleration, expected) => {
  expect(toleratesTaint(toleration, taint)).toBe(expected);
});

it('finds the first untolerated taint with one of the effects', () => {
  const evicting: Taint = { key: 'e', effect: 'NoExecute' };
  const taints = [taint, evicting];
  expect(untoleratedTaint(taints, undefined, ['NoExecute'])).toBe(evicting);
  expect(untoleratedTaint(taints, [{ key: 'k', operator: 'Exists' }], ['NoSchedule', 'NoExecute'])).toBe(evicting);
  expect(untoleratedTaint(taints, [{ operator: 'Exists' }], ['NoSchedule', 'NoExecute'])).toBeUndefined();
  expect(untoleratedTaint(undefined, [], ['NoSchedule'])).toBeUndefined();
});
