import type { Endpoint, EndpointSlice } from '@coxswain/api/discovery/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointKey } from './endpoint.ts';
import { packEndpoints } from './pack-endpoints.ts';
import type { SlicePlan } from './slice-plan.ts';

const max = 5;

/** `3!` is the endpoint 3 in another state than `3`. */
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

describe('endpoints are packed into slices', () => {
  const cases: Record<string, [existing: Record<string, string>, desired: string, written: string[]]> = {
    'none are needed for none': [{}, '', []],
    'new ones are filled up': [{}, '1 2 3 4 5 6 7', ['create 1 2 3 4 5', 'create 6 7']],
    'those that are right stay': [{ a: '1 2', b: '3' }, '3 2 1', []],
    'what goes leaves a gap': [{ a: '1 2 3', b: '4 5' }, '1 3 4 5', ['update a 1 3']],
    'what changes stays where it is': [{ a: '1 2 3' }, '1 2! 3', ['update a 1 2! 3']],
    'one that nothing is left in goes': [{ a: '1 2', b: '3' }, '1 2', ['delete b']],
    'one that is written anyway is filled first': [{ a: '1 2 3', b: '4' }, '1 2 4 5', ['update a 1 2 5']],
    'the fullest of those is filled first': [
      { a: '1 9', b: '2 3 4 9' },
      '1 2 3 4 5 6 7',
      ['update a 1 7', 'update b 2 3 4 5 6'],
    ],
    'the one that is then fullest takes what is left': [{ a: '1', b: '2 3 4' }, '1 2 3 4 5', ['update b 2 3 4 5']],
    'one that has no room for all of it takes nothing': [{ a: '1 2 3 4' }, '1 2 3 4 5 6', ['create 5 6']],
    'as many as a slice holds go into a new one': [{ a: '' }, '1 2 3 4 5', ['create 1 2 3 4 5']],
    'an empty one is not filled when nothing else is in it': [{ a: '' }, '1', ['update a 1']],
    'a slice that is too full stays so': [{ a: '1 2 3 4 5 6' }, '1 2 3 4 5 6 7', ['create 7']],
    'an endpoint that is there twice is there once': [{ a: '1 2', b: '1' }, '1 2', ['delete b']],
  };
  it.each(Object.entries(cases))('%s', (_, [existing, desired, written]) => {
    expect(pack(existing, desired).written).toEqual(written);
  });

  it('and labels are reason enough to write one', () => {
    const { plan, written } = pack({ a: '1', b: '2' }, '1 2 3', ['a']);
    expect(written).toEqual(['update a 1 3']);
    expect(plan.update[0]!.metadata.labels).toEqual({ new: 'label' });
    expect(plan.unchanged.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('each in one place, none too many, and no more is written than needed', () => {
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
        // A second look finds nothing to do.
        const settled = Object.fromEntries(after.map((it, i) => [`t${i}`, contents(it)]));
        expect(pack(settled, desired.join(' ')).written).toEqual([]);
        // New slices are full, but for the last.
        expect(plan.create.slice(0, -1).every(({ endpoints }) => (endpoints ?? []).length === max)).toBe(true);
        // Slices that need not be touched are not, but for one that takes what is left.
        const touched = Object.values(existing).filter((text) => !split(text).every((id) => desired.includes(id)));
        expect(plan.update.length + plan.delete.length).toBeLessThanOrEqual(touched.length + 1);
      }),
    );
  });
});
