import { FakeClock } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import { PriorityQueue } from './priority-queue.ts';
import { ItemExponentialFailureRateLimiter } from './rate-limiter.ts';
import { RateLimitingQueue } from './rate-limiting-queue.ts';
import { runWorkers, type WorkersOptions } from './run-workers.ts';

function start(options: Partial<WorkersOptions<string>> = {}) {
  const clock = new FakeClock();
  const queue = new RateLimitingQueue<string>({ clock, rateLimiter: new ItemExponentialFailureRateLimiter(10, 1000) });
  const stop = new AbortController();
  const failures: unknown[] = [];
  const all: WorkersOptions<string> = {
    signal: stop.signal,
    onError: (error, failure) => failures.push([String(error), failure.retries, failure.willRetry]),
    ...options,
  };
  return { clock, queue, stop, failures, options: all };
}

describe('runWorkers', () => {
  it('retries failures with backoff, reports each, and forgets an item that succeeds', async () => {
    const { clock, queue, stop, failures, options } = start();
    let runs = 0;
    const done = runWorkers(queue, options, async () => {
      if (++runs < 3) throw new Error(`no. ${runs}`);
    });
    queue.add('a');
    await clock.advance(9);
    expect([runs, queue.numRequeues('a')]).toEqual([1, 1]);
    await clock.advance(1 + 19);
    expect([runs, queue.numRequeues('a')]).toEqual([2, 2]);
    await clock.advance(1);
    expect([runs, queue.numRequeues('a')]).toEqual([3, 0]);
    expect(failures).toEqual([
      ['Error: no. 1', 0, true],
      ['Error: no. 2', 1, true],
    ]);
    stop.abort();
    await done;
  });

  it('gives up after maxRetries', async () => {
    const { clock, queue, stop, failures, options } = start({ maxRetries: 1 });
    const done = runWorkers(queue, options, () => Promise.reject(new Error('never')));
    queue.add('a');
    await clock.advance(1000);
    expect(failures).toEqual([
      ['Error: never', 0, true],
      ['Error: never', 1, false],
    ]);
    expect(queue.numRequeues('a')).toBe(0);
    stop.abort();
    await done;
  });

  it('yields to timers and sockets while it processes many items', async () => {
    const { queue, options } = start();
    const order: unknown[] = [];
    for (let i = 0; i < 1000; i++) queue.add(`item ${i}`);
    const done = runWorkers(queue, options, async (item) => {
      order.push(item);
    });
    setImmediate(() => order.push('turn'));
    await queue.shutDownWithDrain();
    await done;
    expect(order.indexOf('turn')).toBeLessThan(200);
    expect(order).toHaveLength(1001);
  });

  it('requeues an item after requeueAfterMs', async () => {
    const { clock, queue, stop, options } = start();
    let runs = 0;
    const done = runWorkers(queue, options, async () => {
      runs++;
      return { requeueAfterMs: 100 };
    });
    queue.add('a');
    await clock.advance(250);
    expect(runs).toBe(3);
    stop.abort();
    await done;
    expect(clock.pending).toBe(0);
  });

  it('processes as many items concurrently as there are workers', async () => {
    const { queue, stop, options, clock } = start({ workers: 2 });
    const running: string[] = [];
    const done = runWorkers(queue, options, async (item, signal) => {
      running.push(item);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    for (const item of ['a', 'b', 'c']) queue.add(item);
    await clock.advance(0);
    expect(running).toEqual(['a', 'b']);
    stop.abort();
    await done;
    expect(running).toEqual(['a', 'b']);
    expect(queue.len).toBe(1);
  });

  it('does not report an abort as a failure', async () => {
    const { queue, stop, failures, options, clock } = start();
    const done = runWorkers(
      queue,
      options,
      (_, signal) =>
        new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    queue.add('a');
    await clock.advance(0);
    stop.abort();
    await done;
    expect(failures).toEqual([]);
  });

  it('processes all queued items when the queue is drained', async () => {
    const { queue, options } = start();
    const seen: string[] = [];
    const done = runWorkers(queue, options, async (item) => {
      seen.push(item);
    });
    for (const item of ['a', 'b', 'c']) queue.add(item);
    await queue.shutDownWithDrain();
    await done;
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('ends at once when the signal is aborted already', async () => {
    const { queue, stop, options } = start();
    stop.abort();
    queue.add('a');
    await runWorkers(queue, options, () => Promise.reject(new Error('not to be called')));
  });

  it('survives an error handler that rejects, and a reconcile that throws synchronously', async () => {
    const { logger, lines } = recordLogs();
    const { clock, queue, stop, options } = start({
      onError: () => Promise.reject(new Error('handler')),
      logger,
    });
    const done = runWorkers(queue, options, () => {
      throw new Error('reconcile');
    });
    queue.add('a');
    await clock.advance(0);
    expect(lines).toEqual([
      'error "The error handler of a work queue failed" err="handler" item="a" itemErr="reconcile"',
    ]);
    stop.abort();
    await done;
  });

  it('keeps an item’s priority when it is retried', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue<string>({ clock });
    const stop = new AbortController();
    const priorities: unknown[] = [];
    const done = runWorkers(queue, { signal: stop.signal, onError() {} }, async (item) => {
      priorities.push(queue.priorityOf(item));
      if (priorities.length === 1) throw new Error('once');
      return priorities.length === 2 ? { requeueAfterMs: 5 } : undefined;
    });
    queue.add('a', 7);
    await clock.advance(10);
    expect(priorities).toEqual([7, 7, 7]);
    stop.abort();
    await done;
  });
});
