import { noMetrics } from '@coxswain/client';
import { expect, it } from 'vitest';
import { Action } from '../framework/cluster-event.ts';
import { InFlightPods } from './in-flight-pods.ts';
import { QueueMetrics } from './queue-metrics.ts';

/** In-flight pods that keep `mostEvents` events, and the last value of the gauge by label. */
function remembered(mostEvents: number) {
  const values: Record<string, number> = {};
  const gauge = () => ({
    set: (value: number, ...labels: readonly string[]) => {
      values[labels.join()] = value;
    },
  });
  return { values, pods: new InFlightPods(new QueueMetrics({ ...noMetrics, gauge }), mostEvents) };
}

const happened = (name: string) => ({
  event: { resource: 'Node', action: Action.Add },
  before: undefined,
  after: { metadata: { name } },
});
const since = (pods: InFlightPods, uid: string) => pods.eventsSince(uid)?.map(({ after }) => after?.metadata?.name);

it('records no events when no pod is in flight', () => {
  const { pods, values } = remembered(10);
  pods.add(happened('a'));
  expect(values).toEqual({});
  expect(pods.eventsSince('nobody')).toBeUndefined();
});

it('returns the events since each pod was popped, and drops those that no pod needs', () => {
  const { pods, values } = remembered(10);
  pods.start('first');
  pods.add(happened('a'));
  pods.start('second');
  pods.add(happened('b'));
  pods.start('third');
  expect([since(pods, 'first'), since(pods, 'second'), since(pods, 'third')]).toEqual([['a', 'b'], ['b'], []]);
  pods.done('second');
  expect(values).toEqual({ PodPopped: 2, NodeAdd: 2 });
  pods.done('first');
  pods.done('first');
  expect(values).toEqual({ PodPopped: 1, NodeAdd: 0 });
  pods.add(happened('c'));
  expect(since(pods, 'third')).toEqual(['c']);
  pods.clear();
  expect(values).toEqual({ PodPopped: 0, NodeAdd: 0 });
  expect(pods.size).toBe(0);
});

it('drops the older half of too many events, and returns undefined to the pods affected', () => {
  const { pods, values } = remembered(4);
  pods.start('first');
  for (const name of 'abc') pods.add(happened(name));
  pods.start('second');
  for (const name of 'de') pods.add(happened(name));
  expect(values.NodeAdd).toBe(3);
  expect([since(pods, 'first'), since(pods, 'second')]).toEqual([undefined, ['d', 'e']]);
  for (let i = 0; i < 100; i++) {
    pods.add(happened('more'));
    expect(values.NodeAdd).toBeLessThanOrEqual(4);
  }
  expect(since(pods, 'second')).toBeUndefined();
  pods.start('third');
  expect(since(pods, 'third')).toEqual([]);
});
