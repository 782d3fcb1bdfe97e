import { noMetrics } from '@coxswain/client';
import { expect, it } from 'vitest';
import { Action } from '../framework/cluster-event.ts';
import { InFlightPods } from './in-flight-pods.ts';
import { QueueMetrics } from './queue-metrics.ts';

/** As many as there are labels, by what the gauge was set to last. */
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

it('remembers nothing when nobody is in flight', () => {
  const { pods, values } = remembered(10);
  pods.add(happened('a'));
  expect(values).toEqual({});
  expect(pods.eventsSince('nobody')).toBeUndefined();
});

it('tells each pod what happened since it was popped, and keeps only what somebody may ask for', () => {
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

it('forgets the older half of too much, and says so to whom it concerns', () => {
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
