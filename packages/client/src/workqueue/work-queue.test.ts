import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { DelayingQueue } from './delaying-queue.ts';
import { recordingMetrics } from './recording-metrics.test-data.ts';
import { WorkQueue } from './work-queue.ts';

/** Takes all queued items. */
function takeAll<T extends NonNullable<unknown>>(queue: WorkQueue<T>): T[] {
  const items: T[] = [];
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) items.push(item);
  return items;
}

describe('WorkQueue', () => {
  it('returns items in the order of adding, each once', () => {
    const queue = new WorkQueue<string>();
    for (const item of ['a', 'b', 'a', 'c', 'b']) queue.add(item);
    expect(queue.len).toBe(3);
    expect(takeAll(queue)).toEqual(['a', 'b', 'c']);
    expect(queue.len).toBe(0);
  });

  it('holds an item that is added while it is processed until `done`', () => {
    const queue = new WorkQueue<string>();
    queue.add('a');
    expect(queue.tryGet()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.len).toBe(0);
    expect(queue.tryGet()).toBeUndefined();
    queue.done('a');
    expect(takeAll(queue)).toEqual(['a']);
    queue.done('a');
    expect(queue.len).toBe(0);
  });

  it('ignores done for items that were not taken', () => {
    const queue = new WorkQueue<string>();
    queue.done('a');
    queue.add('a');
    queue.done('a');
    expect(takeAll(queue)).toEqual(['a']);
  });

  it('resolves pending gets in order', async () => {
    const queue = new WorkQueue<string>();
    const first = queue.get();
    const second = queue.get();
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  it('passes an item that is queued by `done` to a pending get', async () => {
    const queue = new WorkQueue<string>();
    queue.add('a');
    await queue.get();
    queue.add('a');
    const next = queue.get();
    queue.done('a');
    expect(await next).toBe('a');
  });

  it('loses no item to an aborted get', async () => {
    const queue = new WorkQueue<string>();
    const controller = new AbortController();
    const reason = new Error('enough');
    const given = expect(queue.get(controller.signal)).rejects.toBe(reason);
    controller.abort(reason);
    await given;
    await expect(queue.get(controller.signal)).rejects.toBe(reason);
    queue.add('a');
    expect(await queue.get()).toBe('a');
  });

  it('treats items with the same key as one, and returns the latest', () => {
    const queue = new WorkQueue<{ name: string; version: number }>({ keyOf: (item) => item.name });
    queue.add({ name: 'a', version: 1 });
    queue.add({ name: 'a', version: 2 });
    expect(takeAll(queue)).toEqual([{ name: 'a', version: 2 }]);
    queue.add({ name: 'a', version: 3 });
    expect(queue.len).toBe(0);
    queue.done({ name: 'a', version: 0 });
    expect(takeAll(queue)).toEqual([{ name: 'a', version: 3 }]);
  });

  it('compares objects by identity without keyOf', () => {
    const queue = new WorkQueue<object>();
    const [a, b] = [{}, {}];
    for (const item of [a, b, a]) queue.add(item);
    expect(queue.len).toBe(2);
  });

  it('returns the rest after shutDown, and accepts no more', async () => {
    const queue = new WorkQueue<string>();
    queue.add('a');
    queue.shutDown();
    queue.add('b');
    expect(queue.isShuttingDown).toBe(true);
    expect(await queue.get()).toBe('a');
    expect(await queue.get()).toBeUndefined();
  });

  it('resolves pending gets with undefined at shutDown', async () => {
    const queue = new WorkQueue<string>();
    const waiting = queue.get();
    queue.shutDown();
    expect(await waiting).toBeUndefined();
  });

  it('drains: waits for queued and running items, and those added again while they run', async () => {
    const queue = new WorkQueue<string>();
    for (const item of ['a', 'b']) queue.add(item);
    await queue.get();
    queue.add('a');
    const seen: string[] = [];
    const drained = queue.shutDownWithDrain().then(() => seen.push('drained'));
    queue.done('a');
    for (const expected of ['b', 'a']) {
      const item = await queue.get();
      expect(item).toBe(expected);
      seen.push(expected);
      queue.done(expected);
    }
    await drained;
    expect(seen).toEqual(['b', 'a', 'drained']);
    expect(await queue.get()).toBeUndefined();
  });

  it('drains at once when it is empty, and stops draining at shutDown', async () => {
    await new WorkQueue<string>().shutDownWithDrain();
    const queue = new WorkQueue<string>();
    queue.add('a');
    const drained = queue.shutDownWithDrain();
    queue.shutDown();
    await drained;
  });
});

describe('DelayingQueue', () => {
  const start = () => {
    const clock = new FakeClock();
    return { clock, queue: new DelayingQueue<string>({ clock }) };
  };

  it('adds after the delay', async () => {
    const { clock, queue } = start();
    queue.addAfter('b', 50);
    queue.addAfter('a', 20);
    queue.addAfter('now', 0);
    expect(takeAll(queue)).toEqual(['now']);
    await clock.advance(19);
    expect(queue.len).toBe(0);
    await clock.advance(1);
    expect(takeAll(queue)).toEqual(['a']);
    await clock.advance(30);
    expect(takeAll(queue)).toEqual(['b']);
    expect(clock.pending).toBe(0);
  });

  it.each([
    { name: 'a later time after an earlier one', delays: [10, 50] },
    { name: 'an earlier time after a later one', delays: [50, 10] },
  ])('the earliest time counts: $name', async ({ delays }) => {
    const { clock, queue } = start();
    for (const delay of delays) queue.addAfter('a', delay);
    await clock.advance(10);
    expect(takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(100);
    expect(queue.len).toBe(0);
  });

  it('still adds a delayed item that was also added at once', async () => {
    const { clock, queue } = start();
    queue.addAfter('a', 10);
    queue.add('a');
    expect(takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(10);
    expect(takeAll(queue)).toEqual(['a']);
  });

  it('adds many items in the order of their times', async () => {
    const { clock, queue } = start();
    const delays = Array.from({ length: 60 }, (_, i) => ((i * 7919) % 50) + 1);
    for (const delay of delays) queue.addAfter(`after ${delay}`, delay);
    await clock.advance(50);
    const expected = [...new Set(delays)].sort((a, b) => a - b).map((delay) => `after ${delay}`);
    expect(takeAll(queue)).toEqual(expected);
  });

  it('drops delayed items and the timer at shutDown', async () => {
    const { clock, queue } = start();
    queue.addAfter('a', 10);
    queue.shutDown();
    queue.addAfter('b', 10);
    expect(clock.pending).toBe(0);
    await clock.advance(20);
    expect(await queue.get()).toBeUndefined();
  });
});

describe('metrics of a queue', () => {
  it('report depth, adds, queue and work durations, unfinished work and retries', async () => {
    const clock = new FakeClock();
    const { metrics, values, definitions } = recordingMetrics();
    const queue = new DelayingQueue<string>({ name: 'q', clock, metrics });
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(values).toMatchObject({ 'workqueue_depth{q}': 2, 'workqueue_adds_total{q}': 2 });
    await clock.advance(250);
    await queue.get();
    queue.add('a');
    expect(values).toMatchObject({ 'workqueue_depth{q}': 2, 'workqueue_queue_duration_seconds{q}': [0.25] });
    await clock.advance(500);
    await queue.get();
    await clock.advance(500);
    expect(values).toMatchObject({
      'workqueue_unfinished_work_seconds{q}': 1.5,
      'workqueue_longest_running_processor_seconds{q}': 1,
    });
    queue.done('a');
    expect(values).toMatchObject({ 'workqueue_work_duration_seconds{q}': [1], 'workqueue_depth{q}': 1 });
    queue.done('b');
    await clock.advance(500);
    expect(values).toMatchObject({
      'workqueue_unfinished_work_seconds{q}': 0,
      'workqueue_longest_running_processor_seconds{q}': 0,
    });
    expect(clock.pending).toBe(0);
    queue.addAfter('c', 10);
    expect(values).toMatchObject({ 'workqueue_retries_total{q}': 1 });
    queue.shutDown();
    expect(clock.pending).toBe(0);
    for (const name of ['workqueue_queue_duration_seconds', 'workqueue_work_duration_seconds']) {
      expect(definitions.get(name)?.buckets).toEqual([1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10]);
    }
  });

  it('are not recorded and use no timers without a name', async () => {
    const clock = new FakeClock();
    const { metrics, definitions } = recordingMetrics();
    const queue = new DelayingQueue<string>({ clock, metrics });
    queue.add('a');
    await queue.get();
    expect(definitions.size).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
