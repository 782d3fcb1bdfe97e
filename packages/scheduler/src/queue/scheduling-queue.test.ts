import type { Node } from '@coxswain/api/core/v1';
import type { Metrics } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { forceActivate } from '../events/cluster-events.ts';
import { Action } from '../framework/cluster-event.ts';
import {
  addRejected,
  affinity,
  filter,
  newPod,
  newQueue,
  nodeAdded,
  nodeLabelled,
  places,
  reject,
} from './queue.test-data.ts';

const node = (labels: Record<string, string> = {}): Node => ({ metadata: { name: 'n', labels } });
const good = node({ good: 'yes' });

describe('popping', () => {
  it('returns the pod of highest priority first, and the oldest among equals', async () => {
    const { queue, clock } = newQueue();
    queue.add(newPod('low'));
    queue.add(newPod('first', { priority: 5 }));
    await clock.advance(1);
    queue.add(newPod('second', { priority: 5 }));
    queue.add(newPod('high', { priority: 9 }));
    const order = [];
    for (let i = 0; i < 4; i++) order.push((await queue.pop())?.key);
    expect(order).toEqual(['x/high', 'x/first', 'x/second', 'x/low']);
    queue.close();
  });

  it('waits for a pod; callers are served in order', async () => {
    const { queue } = newQueue();
    const [one, two] = [queue.pop(), queue.pop()];
    queue.add(newPod('a'));
    queue.add(newPod('b'));
    expect([(await one)?.key, (await two)?.key]).toEqual(['x/a', 'x/b']);
    queue.close();
  });

  it('rejects when the signal is aborted, and the pod goes to another caller', async () => {
    const { queue } = newQueue();
    const stop = new AbortController();
    const [stopped, other] = [queue.pop(stop.signal), queue.pop()];
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    await expect(queue.pop(stop.signal)).rejects.toThrow('enough');
    queue.add(newPod('a'));
    expect((await other)?.key).toBe('x/a');
    queue.close();
  });

  it('ends when the queue is closed, without leaving a timer', async () => {
    const { queue, clock } = newQueue();
    addRejected(queue, newPod('waits'), ['Affinity']);
    addRejected(queue, newPod('failed'), []);
    expect(clock.pending).toBe(2);
    const waiting = queue.pop();
    queue.close();
    expect(await waiting).toBeUndefined();
    expect(await queue.pop()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('takes from the backoff queue when nothing is active, but never pods that failed with an error', async () => {
    const { queue, clock } = newQueue();
    addRejected(queue, newPod('failed'), []);
    addRejected(queue, newPod('rejected'), ['Affinity']);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    expect(places(queue)).toEqual({ active: [], backoff: ['failed', 'rejected'], unschedulable: [], inFlight: 0 });
    queue.add(newPod('new'));
    expect([queue.tryPop()?.key, queue.tryPop()?.key, queue.tryPop()?.key]).toEqual(['x/new', 'x/rejected', undefined]);
    const waiting = queue.pop();
    await clock.advance(1999);
    expect(places(queue).backoff).toEqual(['failed']);
    await clock.advance(1);
    expect((await waiting)?.key).toBe('x/failed');
    queue.close();
  });

  it('counts attempts, and records when the first began', async () => {
    const { queue, clock } = newQueue();
    const popped = addRejected(queue, newPod('a'), ['Affinity']);
    await clock.advance(60_000);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    expect(queue.tryPop()).toBe(popped);
    expect(popped.attempts).toBe(2);
    expect(popped.initialAttemptTimestamp).toBe(1_000_000_000);
    queue.close();
  });
});

describe('a pod that was rejected', () => {
  it('waits for an event whose hint returns Queue', () => {
    const { queue } = newQueue();
    addRejected(queue, newPod('a'), ['Affinity']);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, node());
    queue.moveAllToActiveOrBackoffQueue({ resource: 'Node', action: Action.UpdateNodeCondition }, node(), good);
    queue.moveAllToActiveOrBackoffQueue({ resource: 'PersistentVolume', action: Action.Add }, undefined, good);
    expect(places(queue).unschedulable).toEqual(['a']);
    queue.moveAllToActiveOrBackoffQueue(nodeLabelled, node(), good);
    expect(places(queue).backoff).toEqual(['a']);
    queue.close();
  });

  it('is retried at once when its backoff ended while it waited', async () => {
    const { queue, clock } = newQueue();
    addRejected(queue, newPod('a'), ['Affinity']);
    await clock.advance(2000);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    expect(places(queue).active).toEqual(['a']);
    queue.close();
  });

  it('is not moved when preCheck returns false', () => {
    const { queue } = newQueue();
    addRejected(queue, newPod('a'), ['Affinity']);
    addRejected(queue, newPod('b'), ['Affinity']);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good, ({ metadata }) => metadata.name === 'b');
    expect(places(queue)).toMatchObject({ backoff: ['b'], unschedulable: ['a'] });
    queue.close();
  });

  it('is retried without backoff when the hint of the plug-in that it is pending for returns Queue', () => {
    const device = filter('Device', { event: nodeAdded, hint: (_, __, after) => (after === good ? 'Queue' : 'Skip') });
    const { queue } = newQueue([affinity, device]);
    addRejected(queue, newPod('a'), ['Affinity'], ['Device']);
    // A hint of one plug-in means a retry after backoff.
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, node({ good: 'yes' }));
    expect(places(queue).backoff).toEqual(['a']);
    queue.activate([newPod('a')]);
    reject(queue, queue.tryPop()!, ['Affinity'], ['Device']);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    expect(places(queue).active).toEqual(['a']);
    queue.close();
  });

  it('is retried after every event of a plug-in without a hint, or whose hint throws', () => {
    const plain = filter('Plain', { event: nodeAdded });
    const broken = filter('Broken', {
      event: nodeAdded,
      hint: () => {
        throw new Error('oh');
      },
    });
    const { queue, errors } = newQueue([plain, broken]);
    addRejected(queue, newPod('a'), ['Plain']);
    addRejected(queue, newPod('b'), ['Broken']);
    addRejected(queue, newPod('c'), ['Other']);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, node());
    expect(places(queue)).toMatchObject({ backoff: ['a', 'b'], unschedulable: ['c'] });
    expect(errors).toEqual([
      expect.stringMatching(/^error "QueueingHintFn returns error" .*event="NodeAdd" pod="x\/b" hintPlugin="Broken"$/),
    ]);
    queue.close();
  });

  it('is retried after five minutes regardless of hints, checked every 30 seconds', async () => {
    const { queue, clock } = newQueue();
    const popped = addRejected(queue, newPod('a'), ['Affinity']);
    await clock.advance(5 * 60_000);
    expect(places(queue).unschedulable).toEqual(['a']);
    await clock.advance(30_000);
    expect(places(queue).active).toEqual(['a']);
    expect(popped.wasFlushedFromUnschedulable).toBe(true);
    reject(queue, queue.tryPop()!, ['Affinity']);
    expect(popped.wasFlushedFromUnschedulable).toBe(false);
    await clock.advance(5 * 60_000);
    expect(places(queue).unschedulable).toEqual(['a']);
    queue.close();
  });

  it('backs off longer every time, with a separate count of errors', async () => {
    const { queue, clock } = newQueue();
    queue.add(newPod('a'));
    const waits = [];
    for (const by of [['Affinity'], ['Affinity'], [], [], ['Affinity']]) {
      reject(queue, queue.tryPop()!, by);
      queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
      expect(places(queue).backoff).toEqual(['a']);
      const start = clock.now();
      while (places(queue).active.length === 0) await clock.advance(1000);
      waits.push((clock.now() - start) / 1000);
    }
    // Each wait is extended to the end of its one-second window.
    expect(waits).toEqual([2, 3, 2, 3, 5]);
    queue.close();
  });

  it('is not returned twice', () => {
    const { queue } = newQueue();
    const popped = addRejected(queue, newPod('a'), ['Affinity']);
    expect(reject(queue, popped, ['Affinity'])).toBe(false);
    expect(popped.unschedulableCount).toBe(1);
    queue.close();
  });

  it('is removed from any queue when it is deleted', () => {
    const { queue, nominator } = newQueue();
    for (const place of ['active', 'backoff', 'unschedulable'] as const) {
      const pod = newPod('a', { nominated: 'n' });
      queue.add(pod);
      if (place !== 'active') reject(queue, queue.tryPop()!, place === 'backoff' ? [] : ['Affinity']);
      expect(places(queue)[place]).toEqual(['a']);
      expect(nominator.nominatedPods('n')).toHaveLength(1);
      queue.delete(pod);
      expect(places(queue)).toEqual({ active: [], backoff: [], unschedulable: [], inFlight: 0 });
      expect(nominator.nominatedPods('n')).toEqual([]);
    }
    queue.close();
  });
});

describe('an update', () => {
  it('reorders active pods, and replaces pods in backoff', () => {
    const { queue } = newQueue();
    addRejected(queue, newPod('late'), []);
    queue.update(newPod('late'), newPod('late', { labels: { a: '1' } }));
    expect(queue.get('x/late')?.info.pod.metadata.labels).toEqual({ a: '1' });
    queue.add(newPod('a', { priority: 1 }));
    queue.add(newPod('b', { priority: 2 }));
    queue.update(newPod('a', { priority: 1 }), newPod('a', { priority: 3 }));
    expect([queue.tryPop()?.key, queue.tryPop()?.key]).toEqual(['x/a', 'x/b']);
    queue.close();
  });

  it('adds an unknown pod', () => {
    const { queue } = newQueue();
    queue.update(newPod('a'), newPod('a', { labels: { a: '1' } }));
    expect(places(queue).active).toEqual(['a']);
    queue.close();
  });

  it.each([
    ['active', undefined],
    ['in backoff', []],
    ['unschedulable', ['Affinity']],
  ])('updates the nomination of a pod that is %s', (_, by) => {
    const { queue, nominator } = newQueue();
    const pod = newPod('a', { nominated: 'n1' });
    queue.add(pod);
    if (by) reject(queue, queue.tryPop()!, by);
    const changed = newPod('a', { nominated: 'n2' });
    queue.update(pod, changed);
    expect(nominator.nominatedPods('n1')).toEqual([]);
    expect(nominator.nominatedPods('n2').map((info) => info.pod)).toEqual([changed]);
    queue.close();
  });

  it('moves a waiting pod only if its plug-in registered for that change', () => {
    const { queue } = newQueue([filter('Self', { event: { resource: 'Pod', action: Action.UpdatePodLabel } })]);
    addRejected(queue, newPod('a'), ['Self']);
    const changed = { ...newPod('a'), status: { message: 'hello' } };
    queue.update(newPod('a'), changed);
    expect(places(queue).unschedulable).toEqual(['a']);
    expect(queue.get('x/a')?.info.pod).toBe(changed);
    queue.update(changed, newPod('a', { labels: { a: '1' } }));
    expect(places(queue).backoff).toEqual(['a']);
    queue.close();
  });
});

it('replaces a pod by a new one of the same name', () => {
  const { queue } = newQueue();
  addRejected(queue, newPod('waits'), ['Affinity']);
  addRejected(queue, newPod('failed'), []);
  for (const name of ['waits', 'failed', 'new', 'new']) queue.add(newPod(name, { uid: 'another' }));
  expect(places(queue)).toEqual({ active: ['failed', 'new', 'waits'], backoff: [], unschedulable: [], inFlight: 0 });
  expect(queue.get('x/new')?.uid).toBe('another');
  queue.close();
});

it('activates unschedulable pods and pods in backoff, and ignores unknown ones', () => {
  const { queue } = newQueue();
  addRejected(queue, newPod('waits'), ['Affinity']);
  addRejected(queue, newPod('failed'), []);
  queue.activate([newPod('waits'), newPod('failed'), newPod('unknown')]);
  expect(places(queue)).toEqual({ active: ['failed', 'waits'], backoff: [], unschedulable: [], inFlight: 0 });
  queue.close();
});

it('retries every pod after a wildcard event', () => {
  const { queue } = newQueue([]);
  addRejected(queue, newPod('a'), ['Unknown']);
  queue.moveAllToActiveOrBackoffQueue(forceActivate, undefined, newPod('b'));
  expect(places(queue).unschedulable).toEqual(['a']);
  queue.moveAllToActiveOrBackoffQueue(forceActivate, undefined, undefined);
  expect(places(queue).backoff).toEqual(['a']);
  queue.close();
});

it('records metrics of queue lengths, incoming pods and rejecting plug-ins', async () => {
  const values: Record<string, number> = {};
  const keep = (name: string, labels: readonly string[], value: number): void => {
    values[`${name}{${labels}}`] = value;
  };
  const observed: string[] = [];
  const metrics: Metrics = {
    counter: ({ name }) => ({
      add: (by, ...labels) => keep(name, labels, (values[`${name}{${labels}}`] ?? 0) + by),
    }),
    gauge: ({ name }) => ({ set: (value, ...labels) => keep(name, labels, value) }),
    histogram: ({ name }) => ({ observe: (_, ...labels) => void observed.push(`${name}{${labels}}`) }),
  };
  const { queue, clock } = newQueue(undefined, {}, metrics);
  queue.add(newPod('gated', { gates: ['g'] }));
  addRejected(queue, newPod('waits'), ['Affinity']);
  addRejected(queue, newPod('failed'), []);
  queue.add(newPod('new'));
  expect(values).toMatchObject({
    'scheduler_pending_pods{active}': 1,
    'scheduler_pending_pods{backoff}': 1,
    'scheduler_pending_pods{unschedulable}': 1,
    'scheduler_pending_pods{gated}': 1,
    'scheduler_queue_incoming_pods_total{active,UnschedulablePodAdd}': 3,
    'scheduler_queue_incoming_pods_total{unschedulable,UnschedulablePodAdd}': 1,
    'scheduler_queue_incoming_pods_total{unschedulable,ScheduleAttemptFailure}': 1,
    'scheduler_queue_incoming_pods_total{backoff,ScheduleAttemptFailure}': 1,
    'scheduler_unschedulable_pods{SchedulingGates,default-scheduler}': 1,
    'scheduler_unschedulable_pods{Affinity,default-scheduler}': 1,
    'scheduler_inflight_events{PodPopped}': 0,
  });
  const popped = queue.tryPop()!;
  queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
  expect(values).toMatchObject({
    'scheduler_inflight_events{PodPopped}': 1,
    'scheduler_inflight_events{NodeAdd}': 1,
    'scheduler_queue_incoming_pods_total{backoff,NodeAdd}': 1,
  });
  queue.done(popped.uid);
  expect(queue.tryPop()?.key).toBe('x/waits');
  await clock.advance(2000);
  queue.delete(newPod('gated'));
  expect(values).toMatchObject({
    'scheduler_inflight_events{PodPopped}': 1,
    'scheduler_inflight_events{NodeAdd}': 0,
    'scheduler_queue_incoming_pods_total{active,PopFromBackoffQ}': 1,
    'scheduler_queue_incoming_pods_total{active,BackoffComplete}': 1,
    'scheduler_unschedulable_pods{SchedulingGates,default-scheduler}': 0,
    'scheduler_unschedulable_pods{Affinity,default-scheduler}': 0,
    'scheduler_pending_pods{active}': 1,
    'scheduler_pending_pods{backoff}': 0,
    'scheduler_pending_pods{gated}': 0,
  });
  expect(observed).toContain('scheduler_queueing_hint_execution_duration_seconds{Affinity,NodeAdd,Queue}');
  expect(observed).toContain(
    'scheduler_framework_extension_point_duration_seconds{PreEnqueue,UnschedulableAndUnresolvable,default-scheduler}',
  );
  queue.close();
  expect(values['scheduler_inflight_events{PodPopped}']).toBe(0);
});
