import { Path } from '@coxswain/apimachinery/field';
import { expect, it } from 'vitest';
import { readBalancedAllocationArgs } from './balanced-allocation-args.ts';

it('are CPU and memory by default, with weight one', () => {
  const core = [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ];
  expect(readBalancedAllocationArgs(undefined)).toEqual({ resources: core });
  expect(readBalancedAllocationArgs({ resources: [{ name: 'a' }] })).toEqual({ resources: [{ name: 'a', weight: 1 }] });
});

it('are refused with other weights and with duplicates', () => {
  const args = { resources: [{ name: 'cpu', weight: 2 }, { name: 'cpu' }] };
  const path = Path.of('profiles').index(0).child('pluginConfig').index(0).child('args');
  expect(() => readBalancedAllocationArgs(args, path)).toThrow(
    new Error(
      '[profiles[0].pluginConfig[0].args.resources[0].weight: Invalid value: 2: must be 1, ' +
        'profiles[0].pluginConfig[0].args.resources[1].name: Duplicate value: "cpu"]',
    ),
  );
});
