import type { Node } from '@coxswain/api/core/v1';
import type { Endpoint, EndpointSlice } from '@coxswain/api/discovery/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyPlan } from './slice-plan.ts';
import { TopologyHints } from './topology-hints.ts';
import { allocations, isOverloaded, zoneRatios } from './zone-capacity.ts';

const node = (zone: string, cpu: string, { isReady = true, labels = {} } = {}): Node => ({
  metadata: { labels: { ...labels, ...(zone && { 'topology.kubernetes.io/zone': zone }) } },
  status: {
    ...(cpu && { allocatable: { cpu } }),
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  },
});

describe('zoneRatios', () => {
  it.each<[string, Node[], Record<string, number> | undefined]>([
    ['are by CPU', [node('a', '1'), node('b', '2'), node('b', '500m'), node('a', '500m')], { a: 0.375, b: 0.625 }],
    ['are undefined for a single zone', [node('a', '1'), node('a', '1')], undefined],
    ['are undefined when a node has no zone', [node('a', '1'), node('b', '1'), node('', '1')], undefined],
    ['are undefined when a node has no CPU', [node('a', '1'), node('b', '1'), node('b', '')], undefined],
    [
      'ignore nodes that are not ready or control plane nodes',
      [
        node('a', '1'),
        node('b', '1'),
        node('', '1', { isReady: false }),
        node('', '1', { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
      ],
      { a: 0.5, b: 0.5 },
    ],
  ])('%s', (_, nodes, ratios) => {
    const found = zoneRatios(nodes);
    expect(found && Object.fromEntries(found)).toEqual(ratios);
  });
});

describe('allocations', () => {
  const thirds = new Map([
    ['a', 0.5],
    ['b', 0.25],
    ['c', 0.25],
  ]);
  it('are the share of each zone with a tolerance of a fifth', () => {
    expect(allocations(thirds, 12)).toEqual(
      new Map([
        ['a', { minimum: 5, maximum: 6, desired: 6 }],
        ['b', { minimum: 3, maximum: 4, desired: 3 }],
        ['c', { minimum: 3, maximum: 4, desired: 3 }],
      ]),
    );
  });

  it('are an error message when there are too few endpoints, or no good distribution', () => {
    expect(allocations(thirds, 10)).toBe(
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (10 endpoints, 3 zones)',
    );
    expect(allocations(thirds, 2)).toBe('Insufficient number of endpoints (2 endpoints, 3 zones)');
  });

  it('are overloaded when a zone has no endpoints or too few', () => {
    expect(isOverloaded(new Map(), thirds)).toBe(false);
    expect(isOverloaded(new Map([['a', 6]]), undefined)).toBe(true);
    expect(
      isOverloaded(
        new Map([
          ['a', 6],
          ['b', 6],
        ]),
        thirds,
      ),
    ).toBe(true);
    expect(
      isOverloaded(
        new Map([
          ['a', 6],
          ['b', 3],
          ['c', 3],
        ]),
        thirds,
      ),
    ).toBe(false);
    expect(
      isOverloaded(
        new Map([
          ['a', 4],
          ['b', 4],
          ['c', 4],
        ]),
        thirds,
      ),
    ).toBe(true);
  });
});

describe('hints', () => {
  const endpoint = (zone: string, ready = true): Endpoint => ({
    addresses: ['x'],
    conditions: { ready },
    ...(zone && { zone }),
  });
  const slice = (zones: readonly string[]): EndpointSlice => ({
    metadata: { name: 's' },
    addressType: 'IPv4',
    endpoints: zones.map((zone) => endpoint(zone)),
  });
  const hintedZones = (slices: readonly EndpointSlice[]): string[] =>
    slices.flatMap(({ endpoints }) => (endpoints ?? []).map(({ hints }) => hints?.forZones?.[0]?.name ?? '-'));
  const equal = () => new TopologyHints(() => [node('a', '1'), node('b', '1')]);

  it('are for the own zone where possible', () => {
    const { plan, notices } = equal().hint('n/s', 'IPv4', { ...emptyPlan(), create: [slice(['a', 'b', 'b', 'a'])] });
    expect(hintedZones(plan.create)).toEqual(['a', 'b', 'b', 'a']);
    expect(notices.map(({ reason }) => reason)).toEqual(['TopologyAwareHintsEnabled']);
  });

  it('move endpoints from zones with many to zones with few', () => {
    const { plan } = equal().hint('n/s', 'IPv4', { ...emptyPlan(), update: [slice(['a', 'a', 'a', 'a', 'a', 'b'])] });
    expect(hintedZones(plan.update).filter((zone) => zone === 'a')).toHaveLength(3);
  });

  it('that are valid are not written again', () => {
    const hints = equal();
    const first = hints.hint('n/s', 'IPv4', { ...emptyPlan(), create: [slice(['a', 'a', 'a', 'a'])] });
    const second = hints.hint('n/s', 'IPv4', { ...emptyPlan(), unchanged: first.plan.create });
    expect(second.plan.unchanged).toEqual(first.plan.create);
    expect(second.notices).toEqual([]);
  });

  it('are removed when an endpoint has no zone', () => {
    const hints = equal();
    const hinted = hints.hint('n/s', 'IPv4', { ...emptyPlan(), create: [slice(['a', 'b'])] }).plan.create;
    const { plan, notices } = hints.hint('n/s', 'IPv4', {
      ...emptyPlan(),
      create: [slice(['a', ''])],
      unchanged: hinted,
    });
    expect(hintedZones([...plan.create, ...plan.update])).toEqual(['-', '-', '-', '-']);
    expect(notices).toEqual([
      {
        type: 'Warning',
        reason: 'TopologyAwareHintsDisabled',
        message: 'One or more endpoints do not have a zone specified, addressType: IPv4',
      },
    ]);
    expect(hints.isEnabled('n/s')).toBe(false);
  });

  it('are for all ready endpoints and every zone with a share of at least 1.5, or are absent', () => {
    const zones = ['a', 'b', 'c', 'd'];
    const cpus = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(cpus, fc.array(fc.nat(3), { minLength: 1, maxLength: 60 }), (cpus, places) => {
        const nodes = cpus.map((cpu, i) => node(zones[i]!, String(cpu)));
        const hints = new TopologyHints(() => nodes);
        const created = slice(places.map((place) => zones[place % cpus.length]!));
        const { plan } = hints.hint('n/s', 'IPv4', { ...emptyPlan(), create: [created] });
        const hinted = [...new Set(hintedZones(plan.create))].sort();
        // A zone gives away an endpoint only for a surplus of at least 0.5: three zones may each keep what a fourth lacks.
        const all = cpus.reduce((sum, cpu) => sum + cpu, 0);
        const isSmall = (i: number): boolean => (places.length * cpus[i]!) / all < 1.5;
        const wanted = zones.slice(0, cpus.length).filter((zone, i) => hinted.includes(zone) || !isSmall(i));
        expect(hinted).toEqual(hints.isEnabled('n/s') ? wanted : ['-']);
      }),
    );
  });
});
