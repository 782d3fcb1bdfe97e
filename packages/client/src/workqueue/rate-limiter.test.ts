import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type QueueRateLimiter,
  WithMaxWaitRateLimiter,
} from './rate-limiter.ts';
import { RateLimitingQueue } from './rate-limiting-queue.ts';

const ask = (limiter: QueueRateLimiter, key: string, times: number): number[] =>
  Array.from({ length: times }, () => Math.round(limiter.when(key)));

// The expected values are those of client-go's limiters with the same parameters.
describe('rate limiters', () => {
  it('exponential: doubles per item up to the maximum', () => {
    const limiter = new ItemExponentialFailureRateLimiter(1, 1000);
    expect(ask(limiter, 'a', 13)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000, 1000]);
    expect([limiter.numRequeues('a'), limiter.numRequeues('b')]).toEqual([13, 0]);
    expect(ask(limiter, 'b', 2)).toEqual([1, 2]);
    limiter.forget('a');
    expect([limiter.numRequeues('a'), limiter.when('a')]).toEqual([0, 1]);
  });

  it('exponential: never overflows', () => {
    const limiter = new ItemExponentialFailureRateLimiter(1, 1000);
    expect(ask(limiter, 'a', 2000).at(-1)).toBe(1000);
  });

  it('fast and slow: a few quick ones per item, then slow ones', () => {
    const limiter = new ItemFastSlowRateLimiter(5, 3000, 3);
    expect(ask(limiter, 'a', 5)).toEqual([5, 5, 5, 3000, 3000]);
    expect(limiter.numRequeues('a')).toBe(5);
    limiter.forget('a');
    expect(limiter.when('a')).toBe(5);
  });

  it('bucket: a burst for all items, then evenly', async () => {
    const clock = new FakeClock();
    const limiter = new BucketRateLimiter(10, 3, clock);
    expect(ask(limiter, 'a', 5)).toEqual([0, 0, 0, 100, 200]);
    await clock.advance(1000);
    expect(ask(limiter, 'b', 4)).toEqual([0, 0, 0, 100]);
    await clock.advance(150);
    expect(ask(limiter, 'b', 1)).toEqual([50]);
  });

  it('max of several: the longest delay and the most failures', () => {
    const limiter = new MaxOfRateLimiter(
      new ItemFastSlowRateLimiter(5, 3000, 3),
      new ItemExponentialFailureRateLimiter(1, 1000),
    );
    expect(ask(limiter, 'a', 4)).toEqual([5, 5, 5, 3000]);
    expect(limiter.numRequeues('a')).toBe(4);
    limiter.forget('a');
    expect(limiter.when('a')).toBe(5);
  });

  it('with a maximum delay', () => {
    const limiter = new WithMaxWaitRateLimiter(new ItemExponentialFailureRateLimiter(10, 1000), 35);
    expect(ask(limiter, 'a', 4)).toEqual([10, 20, 35, 35]);
    expect(limiter.numRequeues('a')).toBe(4);
    limiter.forget('a');
    expect(limiter.numRequeues('a')).toBe(0);
  });

  it('default of controllers: 5 ms per item at first, ten a second after a hundred', () => {
    const limiter = defaultControllerRateLimiter({ clock: new FakeClock() });
    const waits = Array.from({ length: 103 }, (_, i) => Math.round(limiter.when(`item ${i}`)));
    expect(waits.slice(0, 2)).toEqual([5, 5]);
    expect(waits.slice(99)).toEqual([5, 100, 200, 300]);
    const one = defaultControllerRateLimiter({ clock: new FakeClock() });
    expect(ask(one, 'a', 19).at(-1)).toBe(1_000_000);
  });
});

describe('RateLimitingQueue', () => {
  it('adds after the limiter’s delay, by the items’ keys', async () => {
    const clock = new FakeClock();
    const queue = new RateLimitingQueue<{ name: string }>({
      clock,
      keyOf: (item) => item.name,
      rateLimiter: new ItemExponentialFailureRateLimiter(10, 1000),
    });
    const a = { name: 'a' };
    queue.addRateLimited(a);
    await clock.advance(10);
    expect(queue.tryGet()).toBe(a);
    queue.done(a);
    queue.addRateLimited({ name: 'a' });
    expect(queue.numRequeues(a)).toBe(2);
    await clock.advance(19);
    expect(queue.len).toBe(0);
    await clock.advance(1);
    expect(queue.len).toBe(1);
    queue.forget(a);
    expect(queue.numRequeues(a)).toBe(0);
  });
});
