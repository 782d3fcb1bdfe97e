import type { StatefulSet } from '@coxswain/api/apps/v1';
import { expect, it } from 'vitest';
import { hasIdentity, parentAndOrdinal, podNameLabel } from './identity.ts';

it.each([
  ['web-0', 'web', 0],
  ['my-web-12', 'my-web', 12],
  ['web-2147483647', 'web', 2147483647],
  ['web-2147483648', 'web', -1],
  ['web', '', -1],
  ['web-x', '', -1],
  ['web-', '', -1],
])('%s has parent %j and ordinal %d', (name, parent, ordinal) => {
  expect(parentAndOrdinal(name)).toEqual({ parent, ordinal });
});

it('hasIdentity checks the name and the pod-name label', () => {
  const set: StatefulSet = { metadata: { name: 'web' } };
  const has = (name: string, label: string): boolean =>
    hasIdentity(set, { metadata: { name, labels: { [podNameLabel]: label } } });
  expect([has('web-1', 'web-1'), has('web-1', 'web-2'), has('web-01', 'web-01'), has('other-1', 'other-1')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
