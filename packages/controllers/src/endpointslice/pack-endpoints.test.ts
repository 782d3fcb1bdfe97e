import type { Endpoint, EndpointSlice } from '@coxswain/api/discovery/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointKey } from './endpoint.ts';
import { packEndpoints } from './pack-endpoints.ts';
import type { SlicePlan } from './slice-plan.ts';

const max = 5;

/** `3!` is endpoint 3 in another state than `3`. */
const endpoint = (text: string): Endpoint => ({
  addresses: [`10.0.0.${text.replace('!', '')}`],
  conditions: { ready: !text.endsWith('!') },
});
const slice = (name: string, endpoints: readonly string[]): EndpointSlice =>
  Object.freeze({ metadata: { name }, addressType: 'IPv4', endpoints: endpoints.map(endpoint) });

function pack(existing: Readonly<Record<string, string>>, desired: string, relabelled: readonly string[] = []) {
  const plan = packEndpoints({
    existing: Object.entries(existing).map(([name, text]) => slice(name, split(text))),
    desired: new Map(split(desired).map((text) => [endpointKey(endpoint(text)), endpoint(text)])),
    maxEndpointsPerSlice: max,
    newLabels: ({ metadata }) => (relabelled.includes(metadata.name!) ? { new: 'label' } : undefined),
    newSlice: () => ({ metadata: {}, addressType: 'IPv4', endpoints: [] }),
  });
  return { plan, written: describePlan(plan) };
}

const split = (text: string): string[] => text.split(' ').filter(Boolean);

const describePlan = (plan: SlicePlan): string[] => [
  ...plan.create.map((it) => `create ${contents(it)}`),
  ...plan.update.map((it) => `update ${it.metadata.name} ${contents(it)}`),
  ...plan.delete.map((it) => `delete ${it.metadata.name}`),
];

const contents = ({ endpoints }: EndpointSlice): string =>
  (endpoints ?? [])
    .map(({ addresses, conditions }) => addresses[0]!.slice(7) + (conditions?.ready ? '' : '!'))
    .join(' ');

describe('packEndpoints', () => {
  const cases: Record<string, [existing: Record<string, string>, desired: string, written: string[]]> = {
    'creates no slices without endpoints': [{}, '', []],
    'fills new slices': [{}, '1 2 3 4 5 6 7', ['create 1 2 3 4 5', 'create 6 7']],
    'keeps slices that are right': [{ a: '1 2', b: '3' }, '3 2 1', []],
    'removes endpoints without filling the gaps': [{ a: '1 2 3', b: '4 5' }, '1 3 4 5', ['update a 1 3']],
    'updates endpoints in place': [{ a: '1 2 3' }, '1 2! 3', ['update a 1 2! 3']],
    'deletes empty slices': [{ a: '1 2', b: '3' }, '1 2', ['delete b']],
    'first fills slices that are written anyway': [{ a: '1 2 3', b: '4' }, '1 2 4 5', ['update a 1 2 5']],
    'fills the fullest of those first': [
      { a: '1 9', b: '2 3 4 9' },
      '1 2 3 4 5 6 7',
      ['update a 1 7', 'update b 2 3 4 5 6'],
    ],
    'puts the remaining endpoints into the slice that they fill best': [
      { a: '1', b: '2 3 4' },
      '1 2 3 4 5',
      ['update b 2 3 4 5'],
    ],
    'does not fill a slice without room for all remaining endpoints': [{ a: '1 2 3 4' }, '1 2 3 4 5 6', ['create 5 6']],
    'puts a full set of endpoints into a new slice': [{ a: '' }, '1 2 3 4 5', ['create 1 2 3 4 5']],
    'fills an existing empty slice': [{ a: '' }, '1', ['update a 1']],
    'keeps slices that are too full': [{ a: '1 2 3 4 5 6' }, '1 2 3 4 5 6 7', ['create 7']],
    'removes duplicate endpoints': [{ a: '1 2', b: '1' }, '1 2', ['delete b']],
  };
  it.each(Object.entries(cases))('%s', (_, [existing, desired, written]) => {
    expect(pack(existing, desired).written).toEqual(written);
  });

  it('writes slices whose labels change', () => {
    const { plan, written } = pack({ a: '1', b: '2' }, '1 2 3', ['a']);
    expect(written).toEqual(['update a 1 3']);
    expect(plan.update[0]!.metadata.labels).toEqual({ new: 'label' });
    expect(plan.unchanged.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('places each endpoint once, respects the maximum and writes no more than needed', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 40 });
    const numbered = ids.map((some) => some.map(String));
    fc.assert(
      fc.property(numbered, numbered, fc.integer({ min: 1, max: 4 }), (before, desired, size) => {
        const existing: Record<string, string> = {};
        for (let i = 0; i < before.length; i += size) existing[`s${i}`] = before.slice(i, i + size).join(' ');
        const { plan } = pack(existing, desired.join(' '));
        const after = [...plan.create, ...plan.update, ...plan.unchanged];
        expect(after.flatMap((it) => split(contents(it))).sort()).toEqual([...desired].sort());
        expect(after.every(({ endpoints }) => (endpoints ?? []).length <= max)).toBe(true);
        expect(after.every(({ endpoints }) => (endpoints ?? []).length > 0)).toBe(true);
        // Packing the result again changes nothing.
        const settled = Object.fromEntries(after.map((it, i) => [`t${i}`, contents(it)]));
        expect(pack(settled, desired.join(' ')).written).toEqual([]);
        // New slices are full except the last one.
        expect(plan.create.slice(0, -1).every(({ endpoints }) => (endpoints ?? []).length === max)).toBe(true);
        // Only slices with removed endpoints are written, and at most one that takes the remaining endpoints.
        const touched = Object.values(existing).filter((text) => !split(text).every((id) => desired.includes(id)));
        expect(plan.update.length + plan.delete.length).toBeLessThanOrEqual(touched.length + 1);
      }),
    );
  });
});
