import type { Lease } from '@coxswain/api/coordination/v1';
import type { Node, Taint } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { changedTaints, noScheduleTaintChange } from './condition-taints.ts';
import { labelsToUpdate } from './deprecated-labels.ts';
import { observeNode, silentConditions } from './node-health.ts';
import { TaintQueue } from './taint-queue.ts';
import { evictionRate, zoneOf, zoneState } from './zones.ts';

const rates = {
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

describe('the state of a zone', () => {
  it.each([
    ['with ready nodes', 5, 0, 'Normal'],
    ['without nodes', 0, 0, 'Normal'],
    ['with only two nodes that are not ready', 1, 2, 'Normal'],
    ['with less than 55 % not ready', 10, 12, 'Normal'],
    ['with 55 % not ready', 9, 11, 'PartialDisruption'],
    ['with no ready nodes', 0, 1, 'FullDisruption'],
  ] as const)('%s', (_, ready, notReady, state) => expect(zoneState(ready, notReady, rates)).toBe(state));

  it('determines the eviction rate', () => {
    expect(evictionRate('Normal', 1000, rates)).toBe(0.1);
    expect(evictionRate('FullDisruption', 1000, rates)).toBe(0.1);
    expect(evictionRate('PartialDisruption', 51, rates)).toBe(0.01);
    expect(evictionRate('PartialDisruption', 50, rates)).toBe(0);
  });

  it('belongs to a region and zone, also by their deprecated labels', () => {
    const zone = (labels: Record<string, string>): string => zoneOf({ metadata: { labels } });
    expect(zone({})).toBe('');
    expect(zone({ 'topology.kubernetes.io/zone': 'a' })).toBe(':\0:a');
    expect(zone({ 'topology.kubernetes.io/zone': 'a', 'failure-domain.beta.kubernetes.io/zone': 'b' })).toBe(':\0:b');
    expect(zone({ 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'a' })).toBe('r:\0:a');
  });
});

describe('observing a node', () => {
  const grace = { nodeMonitorGracePeriodMs: 50_000, nodeStartupGracePeriodMs: 60_000 };
  const time = (ms: number): string => new Date(ms).toISOString();
  const node = (heartbeat?: number): Node => ({
    metadata: { name: 'n', creationTimestamp: time(1000) },
    status: {
      conditions:
        heartbeat === undefined ? [] : [{ type: 'Ready', status: 'True', lastHeartbeatTime: time(heartbeat) }],
    },
  });
  const lease = (renewed?: number): Lease => ({
    metadata: {},
    spec: renewed === undefined ? {} : { renewTime: time(renewed) },
  });
  const first = observeNode(node(5), lease(5), undefined, 100_000, grace).health;

  it('for the first time counts from now, whatever its heartbeat time is', () => expect(first.heardAt).toBe(100_000));
  it('that has never reported counts from its creation', () => {
    const seen = observeNode(node(), undefined, undefined, 61_000, grace);
    expect(seen).toMatchObject({ health: { heardAt: 1000 }, isSilent: false });
    expect(observeNode(node(), undefined, seen.health, 61_001, grace).isSilent).toBe(true);
  });
  it.each([
    ['without changes', node(5), lease(5), 100_000],
    ['with a new heartbeat', node(6), lease(5), 150_000],
    ['with a renewed lease', node(5), lease(6), 150_000],
    ['without its lease', node(5), undefined, 100_000],
    ['with a lease without a time', node(5), lease(), 100_000],
  ])('%s', (_, now, nowLease, heardAt) => {
    expect(observeNode(now, nowLease, first, 150_000, grace)).toMatchObject({ health: { heardAt }, isSilent: false });
    expect(observeNode(now, nowLease, first, 150_001, grace).isSilent).toBe(heardAt === 100_000);
  });
  it('with a lease that never had a time counts once', () => {
    const { health } = observeNode(node(5), lease(), undefined, 100_000, grace);
    expect(observeNode(node(5), lease(), health, 150_001, grace).isSilent).toBe(true);
  });
  it('keeps conditions that are already Unknown or not set by the kubelet', () => {
    const conditions = silentConditions(
      { ...node(5), status: { conditions: [{ type: 'NetworkUnavailable', status: 'False' }] } },
      time(0),
    );
    expect(conditions?.[0]).toEqual({ type: 'NetworkUnavailable', status: 'False' });
    expect(conditions).toHaveLength(5);
    const said: Node = { metadata: {}, status: { conditions: conditions! } };
    expect(silentConditions(said, time(1))).toBeUndefined();
  });
});

describe('taints', () => {
  const taint = (key: string, effect: Taint['effect'] = 'NoSchedule'): Taint => ({
    key: `node.kubernetes.io/${key}`,
    effect,
  });

  it('follow conditions', () => {
    const node: Node = {
      metadata: {},
      spec: { taints: [taint('not-ready'), taint('not-ready', 'NoExecute'), { key: 'own', effect: 'NoSchedule' }] },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    };
    expect(noScheduleTaintChange(node)).toEqual({ add: [taint('unreachable')], remove: [taint('not-ready')] });
    expect(noScheduleTaintChange({ metadata: {}, status: { conditions: [{ type: 'Ready', status: 'True' }] } })).toBe(
      undefined,
    );
  });

  it('are added, renewed and removed in one change', () => {
    const known = [taint('not-ready', 'NoExecute'), taint('unreachable', 'NoExecute')];
    const change = { add: [taint('unreachable', 'NoExecute')], remove: [taint('not-ready', 'NoExecute')] };
    expect(changedTaints(known, change, 'now')).toEqual([{ ...taint('unreachable', 'NoExecute'), timeAdded: 'now' }]);
    expect(changedTaints([], { add: [], remove: known }, 'now')).toBeUndefined();
  });
});

it('labelsToUpdate returns deprecated labels with wrong values', () => {
  expect(labelsToUpdate({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' })).toBeUndefined();
  expect(labelsToUpdate({ 'beta.kubernetes.io/os': 'linux' })).toBeUndefined();
  expect(labelsToUpdate({ 'kubernetes.io/os': 'linux' })).toEqual({ 'beta.kubernetes.io/os': 'linux' });
});

describe('TaintQueue', () => {
  const clock = new FakeClock(0);
  const start = (rate: number) => {
    const queue = new TaintQueue(clock, rate);
    const tainted: string[] = [];
    const work = (isDone = true): Promise<void> =>
      queue.process(async (name) => {
        tainted.push(name);
        return isDone;
      }, 50);
    return { queue, tainted, work };
  };

  it('allows one node at once, and then the rate', async () => {
    const { queue, tainted, work } = start(0.1);
    for (const name of ['a', 'b', 'c']) queue.add(name, true);
    await work();
    await work();
    expect(tainted).toEqual(['a']);
    await clock.advance(9999);
    await work();
    expect(tainted).toEqual(['a']);
    await clock.advance(1);
    await work();
    expect(tainted).toEqual(['a', 'b']);
    queue.remove('c');
    expect(queue.isActive).toBe(false);
  });

  it('accepts a node again only when it has lost its taint', async () => {
    const { queue, tainted, work } = start(1000);
    queue.add('a', false);
    await work();
    queue.add('a', false);
    await clock.advance(10);
    await work();
    expect(tainted).toEqual(['a']);
    queue.add('a', true);
    await work();
    expect(tainted).toEqual(['a', 'a']);
  });

  it('retries after a delay', async () => {
    const { queue, tainted, work } = start(1000);
    queue.add('a', true);
    await work(false);
    await work();
    expect(tainted).toEqual(['a']);
    await clock.advance(50);
    await work();
    expect(tainted).toEqual(['a', 'a']);
  });

  it('stops at rate 0, and continues without accumulated tokens', async () => {
    const { queue, tainted, work } = start(0.1);
    queue.setRate(0);
    queue.add('a', true);
    expect(queue.isActive).toBe(false);
    await clock.advance(100_000);
    await work();
    queue.setRate(0.1);
    await work();
    expect(tainted).toEqual([]);
    await clock.advance(10_000);
    await work();
    expect(tainted).toEqual(['a']);
  });
});
