import { FakeClock } from '@coxswain/client';
import { expect, it } from 'vitest';
import { PodInfo } from '../framework/pod-info.ts';
import { BackoffQueue } from './backoff-queue.ts';
import { QueuedPodInfo } from './queued-pod-info.ts';

const start = 1_000_000_300;

interface Tried {
  readonly unschedulable?: number;
  readonly errors?: number;
  readonly priority?: number;
  readonly at?: number;
}

function tried(name: string, { unschedulable = 0, errors = 0, priority = 0, at = start }: Tried): QueuedPodInfo {
  const info = new PodInfo({ metadata: { name, namespace: 'x', uid: name }, spec: { containers: [], priority } });
  const pod = new QueuedPodInfo(info, at);
  pod.unschedulableCount = unschedulable;
  pod.consecutiveErrorsCount = errors;
  if (errors === 0) pod.unschedulablePlugins = new Set(['Fit']);
  return pod;
}

function newQueue(options: { initialBackoffMs?: number; maxBackoffMs?: number } = {}) {
  const clock = new FakeClock(start);
  const less = (a: QueuedPodInfo, b: QueuedPodInfo) =>
    (a.info.pod.spec?.priority ?? 0) > (b.info.pod.spec?.priority ?? 0);
  return { clock, queue: new BackoffQueue({ clock, less, initialBackoffMs: 1000, maxBackoffMs: 10_000, ...options }) };
}

it.each<[string, Tried, number]>([
  ['no time before the first attempt', {}, Number.NEGATIVE_INFINITY],
  ['a second after the first', { unschedulable: 1 }, 1_000_001_000],
  ['twice as long after the second', { unschedulable: 2 }, 1_000_002_000],
  ['four times after the third', { unschedulable: 3 }, 1_000_004_000],
  ['eight times after the fourth', { unschedulable: 4 }, 1_000_008_000],
  ['ten seconds at most', { unschedulable: 5 }, 1_000_010_000],
  ['ten seconds also after very many attempts', { unschedulable: 2000 }, 1_000_010_000],
  ['by the number of errors, however often it was rejected before', { unschedulable: 4, errors: 1 }, 1_000_001_000],
])('waits %s', (_, attempts, expected) => {
  expect(newQueue().queue.expiration(tried('a', attempts))).toBe(expected);
});

it('has no backoff with maxBackoffMs 0', () => {
  const { queue } = newQueue({ maxBackoffMs: 0 });
  expect(queue.isBackingOff(tried('a', { unschedulable: 3 }))).toBe(false);
});

it('ends all backoffs of a one-second window together, at its end', async () => {
  const { clock, queue } = newQueue();
  queue.add(tried('early', { unschedulable: 1, at: start }));
  queue.add(tried('late', { unschedulable: 1, at: start + 600, priority: 5 }));
  queue.add(tried('error', { errors: 1, at: start + 100 }));
  queue.add(tried('next', { unschedulable: 1, at: start + 700 }));
  expect(queue.nextCompletion).toBe(1_000_002_000);
  await clock.advance(1699);
  expect(queue.popCompleted()).toEqual([]);
  await clock.advance(1);
  expect(queue.popCompleted().map(({ key }) => key)).toEqual(['x/late', 'x/early', 'x/error']);
  expect(queue.nextCompletion).toBe(1_000_003_000);
  expect(queue.size).toBe(1);
});

it('does not release pods early that failed with an error', () => {
  const { queue } = newQueue();
  queue.add(tried('error', { errors: 1 }));
  expect(queue.pop()).toBeUndefined();
  queue.add(tried('long', { unschedulable: 3, priority: 9 }));
  queue.add(tried('low', { unschedulable: 1 }));
  queue.add(tried('high', { unschedulable: 1, priority: 1 }));
  expect([queue.pop(), queue.pop(), queue.pop(), queue.pop()].map((pod) => pod?.key)).toEqual([
    'x/high',
    'x/low',
    'x/long',
    undefined,
  ]);
  expect(queue.delete('x/error')?.key).toBe('x/error');
  expect(queue.nextCompletion).toBeUndefined();
});
