import type { Node } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { ClientSet, FakeClock, RESTClient } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ControllerManager } from '../framework/manager/controller-manager.ts';
import { ttlController } from './index.ts';
import { stepFor, ttlSecondsAt } from './ttl-steps.ts';

describe('stepFor', () => {
  it.each([
    [0, 0, 0],
    [100, 0, 0],
    [101, 0, 15],
    [95, 1, 15],
    [89, 1, 0],
    [1001, 2, 60],
    [899, 3, 30],
    [5000, 0, 300],
    [0, 4, 0],
  ])('%i nodes after step %i', (count, step, seconds) => expect(ttlSecondsAt(stepFor(count, step))).toBe(seconds));

  it('is stable for small changes of the number of nodes', () => {
    fc.assert(
      fc.property(fc.nat(3000), fc.nat(4), (count, before) => {
        const step = stepFor(count, before);
        for (const near of [count - 1, count, count + 1]) {
          expect(Math.abs(stepFor(Math.max(0, near), step) - step)).toBeLessThanOrEqual(1);
        }
        expect(stepFor(count, step)).toBe(step);
      }),
    );
  });
});

describe('the controller', { timeout: 60_000 }, () => {
  const annotation = 'node.alpha.kubernetes.io/ttl';
  const node = (i: number, ttl?: string): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `n${i}`, ...(ttl !== undefined && { annotations: { [annotation]: ttl } }) },
  });
  let stop: AbortController;
  let running: Promise<void>;
  let fake: FakeTransport;
  const start = (objects: Node[]) => {
    fake = new FakeTransport({ objects });
    const clock = new FakeClock();
    stop = new AbortController();
    const rest = new RESTClient(fake);
    running = new ControllerManager({ rest, controllers: [ttlController], clock, freezeCaches: true }).run(stop.signal);
    const nodes = new ClientSet(new RESTClient(fake)).core.v1.nodes();
    const ttl = (i: number) =>
      expect.poll(async () => (await nodes.get(`n${i}`)).metadata.annotations?.[annotation], { timeout: 20_000 });
    return { nodes, ttl, clock };
  };
  afterEach(async () => {
    stop.abort();
    await running;
    await fake.close();
  });

  it('annotates only nodes with another value', async () => {
    const { ttl } = start([node(1), node(2, '0'), node(3, 'long'), node(4, '15')]);
    for (const i of [1, 3, 4]) await ttl(i).toBe('0');
    expect(
      fake.actions
        .filter(({ verb }) => verb === 'patch')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['n1', 'n3', 'n4']);
  });

  it('increases the time with the number of nodes, and reduces it again', async () => {
    const { nodes, ttl } = start(Array.from({ length: 101 }, (_, i) => node(i, '0')));
    await ttl(100).toBe('15');
    for (let i = 0; i < 12; i++) await nodes.delete(`n${i}`);
    await nodes.patch('n50', 'merge', { metadata: { labels: { reports: 'again' } } });
    await ttl(50).toBe('0');
  });

  it('retries failed writes', async () => {
    const { nodes, ttl, clock } = start([]);
    let failures = 2;
    fake.prependReactor('patch', 'nodes', () => {
      if (failures-- > 0) throw newInternalError(new Error('injected'));
      return undefined;
    });
    await nodes.create(node(1));
    await expect.poll(() => failures, { timeout: 20_000 }).toBe(1);
    await clock.advance(1000);
    await ttl(1).toBe('0');
  });
});
