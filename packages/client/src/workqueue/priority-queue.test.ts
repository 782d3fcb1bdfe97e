import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { lowPriority, PriorityQueue } from './priority-queue.ts';
import { ItemExponentialFailureRateLimiter } from './rate-limiter.ts';

function start() {
  const clock = new FakeClock();
  const rateLimiter = new ItemExponentialFailureRateLimiter(10, 1000);
  const queue = new PriorityQueue<string>({ clock, rateLimiter });
  const takeAll = (): string[] => {
    const items: string[] = [];
    for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) items.push(item);
    return items;
  };
  return { clock, queue, takeAll };
}

describe('PriorityQueue', () => {
  it('returns the highest priority first, equal ones in the order of adding', () => {
    const { queue, takeAll } = start();
    queue.addWithOpts({ priority: lowPriority }, 'low 1', 'low 2');
    queue.add('normal 1');
    queue.addWithOpts({ priority: 5 }, 'high');
    queue.add('normal 2');
    expect(queue.len).toBe(5);
    expect(takeAll()).toEqual(['high', 'normal 1', 'normal 2', 'low 1', 'low 2']);
  });

  it('keeps the higher of two priorities', () => {
    const { queue, takeAll } = start();
    queue.add('a', lowPriority);
    queue.add('b');
    queue.add('a', 1);
    queue.add('b', lowPriority);
    expect(takeAll()).toEqual(['a', 'b']);
  });

  it('uses the new priority for an item added during processing, and reports the one it was taken with', () => {
    const { queue, takeAll } = start();
    queue.add('a', lowPriority);
    expect(queue.priorityOf('a')).toBeUndefined();
    expect(queue.tryGet()).toBe('a');
    queue.add('b', 3);
    queue.add('a', 1);
    queue.add('a', 4);
    expect(queue.priorityOf('a')).toBe(lowPriority);
    queue.done('a');
    expect(takeAll()).toEqual(['a', 'b']);
    expect(queue.priorityOf('a')).toBe(4);
  });

  it('delays items until their time, then orders them by priority', async () => {
    const { clock, queue, takeAll } = start();
    queue.addAfter('later', 10, lowPriority);
    queue.addWithOpts({ after: 10, priority: 2 }, 'later but higher');
    queue.add('now');
    expect(takeAll()).toEqual(['now']);
    await clock.advance(10);
    expect(takeAll()).toEqual(['later but higher', 'later']);
  });

  it('keeps the earlier time and the higher priority of a delayed item', async () => {
    const { clock, queue, takeAll } = start();
    queue.addWithOpts({ after: 10 }, 'a');
    queue.addWithOpts({ after: 50, priority: 7 }, 'a');
    queue.addAfter('b', 10, 1);
    await clock.advance(10);
    expect(takeAll()).toEqual(['a', 'b']);
    queue.done('a');
    await clock.advance(100);
    expect(queue.len).toBe(0);
  });

  it('holds an item once: added now, it is no longer delayed; queued, it is not delayed in addition', async () => {
    const { clock, queue, takeAll } = start();
    queue.addWithOpts({ after: 10, priority: 3 }, 'a');
    queue.add('b', 2);
    queue.add('a');
    queue.addWithOpts({ after: 10 }, 'b');
    expect(takeAll()).toEqual(['a', 'b']);
    for (const item of ['a', 'b']) queue.done(item);
    expect(clock.pending).toBe(0);
    await clock.advance(100);
    expect(queue.len).toBe(0);
  });

  it('can delay an item while it is processed', async () => {
    const { clock, queue, takeAll } = start();
    queue.add('a');
    takeAll();
    queue.addAfter('a', 10);
    await clock.advance(10);
    expect(queue.len).toBe(0);
    queue.done('a');
    expect(takeAll()).toEqual(['a']);
  });

  it('rate limits, or uses an earlier given delay', async () => {
    const { clock, queue, takeAll } = start();
    queue.addRateLimited('a');
    queue.addWithOpts({ rateLimited: true, after: 4 }, 'b');
    expect(queue.numRequeues('b')).toBe(1);
    await clock.advance(4);
    expect(takeAll()).toEqual(['b']);
    await clock.advance(6);
    expect(takeAll()).toEqual(['a']);
    queue.forget('b');
    expect(queue.numRequeues('b')).toBe(0);
  });

  it('drops delayed items at shutDown', async () => {
    const { clock, queue } = start();
    queue.addAfter('a', 10);
    queue.add('b');
    queue.shutDown();
    queue.addRateLimited('c');
    expect(clock.pending).toBe(0);
    expect(await queue.get()).toBe('b');
    expect(await queue.get()).toBeUndefined();
    expect(queue.numRequeues('c')).toBe(0);
  });
});
