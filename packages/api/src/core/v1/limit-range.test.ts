import { expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import { limitRangeStrategy } from './limit-range.ts';

it('a limit range without a name gets a random UUID as its name', () => {
  const context = { features: FeatureGates.defaults, namespace: 'default', now: () => new Date(0) };
  const [named, unnamed] = [{ metadata: { name: 'a' } }, { metadata: { name: '' } }];
  limitRangeStrategy.prepareForCreate!(named, context);
  limitRangeStrategy.prepareForCreate!(unnamed, context);
  expect(named.metadata.name).toBe('a');
  expect(unnamed.metadata.name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
