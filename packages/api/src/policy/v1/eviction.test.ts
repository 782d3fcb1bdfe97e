import { expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import { evictionStrategy } from './eviction.ts';

const context = { features: FeatureGates.defaults, now: () => new Date(0), namespace: 'n' };
const validate = (ignoreStoreReadErrorWithClusterBreakingPotential: boolean) =>
  evictionStrategy.validate!(
    { metadata: { name: 'p' }, deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential } },
    context,
  ).map(String);

it('an eviction must not set ignoreStoreReadErrorWithClusterBreakingPotential', () => {
  expect(validate(true)).toEqual([
    'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
  ]);
  expect(validate(false)).toEqual([]);
});
