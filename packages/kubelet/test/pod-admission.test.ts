import type { Node, PodSpec } from '@coxswain/api/core/v1';
import { ClientSet, RESTClient } from '@coxswain/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HollowMachine, HollowRuntime, Kubelet, type NodeSource } from '../src/index.ts';
import { CachedConfigSource } from '../src/volumes/config-source.ts';
import { conditionsOf, containersOf } from './brief.ts';
import { podActions, web } from './pod-actions.ts';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await TestNodes.start([{ name: 'n1' }]);
});
afterAll(() => nodes.stop());

const { create, remove } = podActions(() => nodes);
const needs = (cpu: string): Partial<PodSpec> => ({ containers: [{ ...web, resources: { requests: { cpu } } }] });
const critical = { priorityClassName: 'system-node-critical' };
const phaseOf = async (name: string) => (await nodes.pod(name)).status?.phase;

describe('a critical pod', () => {
  it('is admitted to a full node, and starts when others have ended for it', async () => {
    await create('large', { ...needs('3'), terminationGracePeriodSeconds: 30 }, { 'stop-delay': '5s' });
    await create('small', needs('500m'));
    await create('critical', { ...needs('2'), ...critical });
    expect(await nodes.events('large')).toContain('Warning Preempting: Preempted in order to admit critical pod');
    expect(containersOf(await nodes.pod('critical'))).toEqual([]);
    // There is room for this one, but only when the large one has ended.
    await create('later', needs('1'));
    expect(containersOf(await nodes.pod('later'))).toEqual([]);
    await create('too-large', needs('2'));
    expect(await nodes.pod('too-large')).toMatchObject({ status: { phase: 'Failed', reason: 'OutOfcpu' } });
    await nodes.advance(6000, 1000);
    expect(await Promise.all(['large', 'small', 'critical', 'later'].map(phaseOf))).toEqual([
      'Failed',
      'Running',
      'Running',
      'Running',
    ]);
    const { status } = await nodes.pod('large');
    expect(status).toMatchObject({ reason: 'Preempting', message: 'Preempted in order to admit critical pod' });
    expect(conditionsOf({ metadata: {}, status: status! })).toContain(
      'DisruptionTarget=True TerminationByKubelet: Pod was preempted by Kubelet to accommodate a critical pod.',
    );
    for (const name of ['large', 'small', 'critical', 'later', 'too-large']) await remove(name, 0);
  });

  it('that is deleted while it waits is not started', async () => {
    await create('large', { ...needs('3'), terminationGracePeriodSeconds: 30 }, { 'stop-delay': '5s' });
    await create('critical', { ...needs('2'), ...critical });
    await remove('critical');
    await expect(nodes.pod('critical')).rejects.toThrow('not found');
    await nodes.advance(6000, 1000);
    expect(await phaseOf('large')).toBe('Failed');
    await remove('large', 0);
  });
});

/** Starts a kubelet that is not part of the fleet. Returns a function that stops it. */
async function startKubelet(name: string, source?: NodeSource): Promise<() => Promise<void>> {
  const { clock } = nodes;
  const clients = new ClientSet(new RESTClient(nodes.spy));
  const config = new CachedConfigSource(clients, clock);
  const runtime = new HollowRuntime({ clock });
  const kubelet = new Kubelet({
    node: { name },
    clients,
    runtime: runtime.services,
    machine: new HollowMachine({ nodeName: name, clock, config, logs: runtime, bootId: 'b' }),
    clock,
    random: () => 0,
    ...(source && { nodes: source }),
  });
  const stop = new AbortController();
  const running = kubelet.run(stop.signal);
  await nodes.settle();
  return async () => {
    stop.abort();
    await running;
    runtime.close();
  };
}

it('a kubelet that comes back admits the oldest pods first', async () => {
  for (const name of ['c', 'b', 'a']) {
    await create(name, { nodeName: 'alone', ...needs(name === 'a' ? '1' : '3') });
    await nodes.advance(2000);
  }
  const stop = await startKubelet('alone');
  expect(await Promise.all(['c', 'b', 'a'].map(phaseOf))).toEqual(['Running', 'Failed', 'Running']);
  await stop();
});

it('labels that the node has got a moment ago count', async () => {
  const { clients } = nodes;
  let seen: Node | undefined;
  /** A watch that tells nothing after the first state. */
  const stale: NodeSource = { get: () => seen, subscribe: () => () => {} };
  const stop = await startKubelet('stale', stale);
  seen = { ...(await clients.core.v1.nodes().get('stale')) };
  await clients.core.v1.nodes().patch('stale', 'merge', { metadata: { labels: { disk: 'ssd' } } });
  seen = { ...seen, metadata: { ...seen.metadata, resourceVersion: '1000000' } };
  await create('wants-ssd', { nodeName: 'stale', nodeSelector: { disk: 'ssd' } });
  await create('wants-hdd', { nodeName: 'stale', nodeSelector: { disk: 'hdd' } });
  expect(await phaseOf('wants-ssd')).toBe('Running');
  expect(await nodes.pod('wants-hdd')).toMatchObject({ status: { phase: 'Failed', reason: 'NodeAffinity' } });
  await stop();
});
