import type { KubernetesObject } from '@coxswain/apimachinery';
import { expect, it } from 'vitest';
import { FeatureGates } from '../features/feature-gates.ts';
import { prepareForSubresourceUpdate } from './prepare.ts';
import type { Strategy } from './strategy.ts';

const strategy: Strategy = { subresources: { status: { owns: ['status'], metadata: 'none' } } };
const context = { features: FeatureGates.defaults, now: () => new Date(0), user: { username: 'u' } };
const entry = (manager: string) => ({ manager, operation: 'Update' as const });

it('a subresource update that keeps the old metadata still takes over managedFields', () => {
  const old = { metadata: { name: 'a', labels: { l: '1' }, managedFields: [entry('one')] } };
  const given = {
    metadata: { name: 'a', labels: { l: '2' }, managedFields: [entry('one'), entry('two')] },
    status: { x: 1 },
  };
  expect(prepareForSubresourceUpdate<KubernetesObject>(strategy, 'status', given, old, context)).toEqual({
    metadata: { name: 'a', labels: { l: '1' }, managedFields: [entry('one'), entry('two')] },
    status: { x: 1 },
  });
});
