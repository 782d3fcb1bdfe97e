import type { Node } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { Action } from '../framework/cluster-event.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { Status } from '../framework/status.ts';
import {
  addRejected,
  affinity,
  filter,
  gates,
  newPod,
  newQueue,
  nodeAdded,
  places,
  reject,
} from './queue.test-data.ts';

const node = (labels: Record<string, string> = {}): Node => ({ metadata: { name: 'n', labels } });
const good = node({ good: 'yes' });

describe('a pod in flight', () => {
  it('is retried for events during its flight, and only for those', () => {
    const { queue } = newQueue();
    queue.add(newPod('a'));
    queue.add(newPod('b'));
    const a = queue.tryPop()!;
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    const b = queue.tryPop()!;
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, node());
    reject(queue, b, ['Affinity']);
    reject(queue, a, ['Affinity']);
    expect(places(queue)).toMatchObject({ backoff: ['a'], unschedulable: ['b'], inFlight: 0 });
    queue.close();
  });

  it('is retried without backoff if any event during its flight was one it was pending for', () => {
    const device = filter('Device', { event: nodeAdded, hint: (_, __, after) => (after === good ? 'Queue' : 'Skip') });
    const { queue } = newQueue([affinity, device]);
    queue.add(newPod('a'));
    const popped = queue.tryPop()!;
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, node({ good: 'yes' }));
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, node({ good: 'yes' }));
    reject(queue, popped, ['Affinity'], ['Device']);
    expect(places(queue).active).toEqual(['a']);
    queue.close();
  });

  it('is retried for its own update', () => {
    const { queue } = newQueue([filter('Self', { event: { resource: 'Pod', action: Action.UpdatePodLabel } })]);
    queue.add(newPod('a'));
    const popped = queue.tryPop()!;
    queue.update(newPod('a'), newPod('a', { labels: { a: '1' } }));
    expect(places(queue)).toMatchObject({ active: [], inFlight: 1 });
    reject(queue, popped, ['Self']);
    expect(places(queue).backoff).toEqual(['a']);
    queue.close();
  });

  it('is retried when a plug-in activated it, but other pods are not', () => {
    const { queue } = newQueue();
    queue.add(newPod('a'));
    queue.add(newPod('b'));
    const [a, b] = [queue.tryPop()!, queue.tryPop()!];
    queue.activate([a.info.pod]);
    reject(queue, a, ['Affinity']);
    reject(queue, b, ['Affinity']);
    expect(places(queue)).toMatchObject({ backoff: ['a'], unschedulable: ['b'] });
    queue.close();
  });

  it('is not queued a second time by an event', () => {
    const { queue } = newQueue();
    queue.add(newPod('a'));
    const popped = queue.tryPop()!;
    queue.add(newPod('a'));
    queue.update(newPod('a'), newPod('a', { labels: { a: '1' } }));
    queue.activate([newPod('a')]);
    expect(queue.tryPop()).toBeUndefined();
    queue.done(popped.uid);
    expect(places(queue)).toEqual({ active: [], backoff: [], unschedulable: [], inFlight: 0 });
    queue.close();
  });

  it('is replaced by a new pod of its name', () => {
    const { queue } = newQueue();
    queue.add(newPod('a'));
    const popped = queue.tryPop()!;
    queue.add(newPod('a', { uid: 'another' }));
    expect(reject(queue, popped, ['Affinity'])).toBe(false);
    expect(queue.tryPop()?.uid).toBe('another');
    queue.close();
  });

  it('is retried when its events were dropped because there were too many', () => {
    const { queue } = newQueue(undefined, { mostInFlightEvents: 10 });
    queue.add(newPod('a'));
    queue.add(newPod('b'));
    const a = queue.tryPop()!;
    for (let i = 0; i < 11; i++) queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, node());
    const b = queue.tryPop()!;
    reject(queue, a, ['Affinity']);
    reject(queue, b, ['Affinity']);
    expect(places(queue)).toMatchObject({ backoff: ['a'], unschedulable: ['b'] });
    queue.close();
  });
});

describe('a gated pod', () => {
  it('is never popped, and becomes active when its last gate is removed', async () => {
    const { queue } = newQueue();
    const gated = newPod('a', { gates: ['g', 'h'] });
    queue.add(gated);
    queue.activate([gated]);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    expect(queue.tryPop()).toBeUndefined();
    expect(queue.get('x/a')).toMatchObject({ gatingPlugin: 'SchedulingGates', attempts: 0 });
    const fewer = newPod('a', { gates: ['h'] });
    queue.update(gated, fewer);
    expect(places(queue).unschedulable).toEqual(['a']);
    const waiting = queue.pop();
    queue.update(fewer, newPod('a'));
    const popped = await waiting;
    expect(popped).toMatchObject({ key: 'x/a', gatingPlugin: undefined, attempts: 1 });
    queue.close();
  });

  it('is checked again after five minutes, and then not before another five', async () => {
    let asked = 0;
    const closed = {
      ...gates,
      name: 'Closed',
      preEnqueue: () => {
        asked++;
        return Status.unresolvable('no');
      },
      eventsToRegister: () => [],
    };
    const { queue, clock } = newQueue([closed]);
    queue.add(newPod('a'));
    expect(asked).toBe(1);
    await clock.advance(330_000);
    expect(asked).toBe(2);
    expect(queue.get('x/a')).toMatchObject({ wasFlushedFromUnschedulable: false });
    await clock.advance(300_000);
    expect(asked).toBe(2);
    await clock.advance(60_000);
    expect(asked).toBe(3);
    queue.close();
  });

  it('is checked only after events that its gating plug-in registered for, whatever else rejected it', () => {
    let asked = 0;
    let isOpen = true;
    const door = {
      name: 'Door',
      preEnqueue: () => {
        asked++;
        return isOpen ? undefined : Status.unresolvable('no');
      },
      eventsToRegister: () => [{ event: { resource: 'PersistentVolume', action: Action.Add } }],
    };
    const { queue } = newQueue([door, affinity]);
    const popped = addRejected(queue, newPod('a'), ['Affinity']);
    isOpen = false;
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    expect(popped.gatingPlugin).toBe('Door');
    expect(asked).toBe(2);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, good);
    expect(asked).toBe(2);
    isOpen = true;
    queue.moveAllToActiveOrBackoffQueue({ resource: 'PersistentVolume', action: Action.Add }, undefined, undefined);
    // Once for the check of the event, once when the pod is moved.
    expect(asked).toBe(4);
    expect(places(queue).backoff).toEqual(['a']);
    // A pod in the backoff queue has passed the gate already.
    isOpen = false;
    queue.activate([newPod('a')]);
    expect(places(queue).active).toEqual(['a']);
    expect(asked).toBe(4);
    queue.close();
  });

  it('is checked first by its last gating plug-in; an error counts as a rejection', () => {
    const asked: string[] = [];
    const plugin = (name: string, answer: () => Status | undefined) => ({
      ...gates,
      name,
      preEnqueue: () => {
        asked.push(name);
        return answer();
      },
    });
    let second: Status | undefined = Status.unresolvable('no');
    const { queue, errors } = newQueue([
      plugin('First', () => undefined),
      plugin('Second', () => second),
      plugin('Third', () => {
        throw new Error('oh');
      }),
    ]);
    queue.add(newPod('a', { gates: ['g'] }));
    second = undefined;
    queue.update(newPod('a', { gates: ['g'] }), newPod('a'));
    expect(asked).toEqual(['First', 'Second', 'Second', 'First', 'Third']);
    expect(queue.get('x/a')?.gatingPlugin).toBe('Third');
    expect(errors).toEqual([
      expect.stringMatching(/^error "Unexpected error running PreEnqueue plugin" .*pod="x\/a" plugin="Third"$/),
    ]);
    queue.close();
  });

  it('can become gated when it returns to the queue', () => {
    const { queue } = newQueue();
    queue.add(newPod('a'));
    const popped = queue.tryPop()!;
    popped.info = new PodInfo(newPod('a', { gates: ['g'] }));
    reject(queue, popped, []);
    expect(queue.get('x/a')?.gatingPlugin).toBe('SchedulingGates');
    expect(queue.tryPop()).toBeUndefined();
    queue.close();
  });
});
