import { FakeClock } from '@coxswain/apimachinery/clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backoff, TokenBucketRateLimiter } from './index.ts';

describe('TokenBucketRateLimiter', () => {
  it('accepts a burst, then one call per token', async () => {
    const clock = new FakeClock();
    const limiter = new TokenBucketRateLimiter({ qps: 5, burst: 3, clock });
    expect([1, 2, 3, 4].map(() => limiter.tryAccept())).toEqual([true, true, true, false]);
    await clock.advance(199);
    expect(limiter.tryAccept()).toBe(false);
    await clock.advance(1);
    expect([1, 2].map(() => limiter.tryAccept())).toEqual([true, false]);
  });

  it('resolves waiting calls in order, at the rate', async () => {
    const clock = new FakeClock();
    const limiter = new TokenBucketRateLimiter({ qps: 10, burst: 1, clock });
    const passed: [number, number][] = [];
    const all = [0, 1, 2].map((i) => limiter.wait().then(() => passed.push([i, clock.monotonic()])));
    await clock.advance(1000);
    await Promise.all(all);
    expect(passed).toEqual([
      [0, 0],
      [1, 100],
      [2, 200],
    ]);
  });

  it('consumes no token when waiting is aborted', async () => {
    const clock = new FakeClock();
    const limiter = new TokenBucketRateLimiter({ qps: 1, burst: 1, clock });
    await limiter.wait();
    const abort = new AbortController();
    const given = limiter.wait(abort.signal);
    abort.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
    await clock.advance(1000);
    expect(limiter.tryAccept()).toBe(true);
  });

  it('never accepts more than burst and rate allow', async () => {
    const steps = fc.array(fc.nat(3000), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 10 }),
        async (waits, qps, burst) => {
          let now = 0;
          const clock = {
            ...new FakeClock(),
            now: () => now,
            monotonic: () => now,
            setTimeout: () => ({ cancel() {} }),
          };
          const limiter = new TokenBucketRateLimiter({ qps, burst, clock });
          let accepted = 0;
          for (const wait of waits) {
            now += wait;
            while (limiter.tryAccept()) accepted++;
            expect(accepted).toBeLessThanOrEqual(burst + (now / 1000) * qps + 1e-6);
          }
        },
      ),
    );
  });

  it.each([
    { qps: 0, burst: 1 },
    { qps: 1, burst: 0 },
  ])('throws when nothing could ever be accepted: %j', (options) => {
    expect(() => new TokenBucketRateLimiter(options)).toThrow(RangeError);
  });
});

describe('Backoff', () => {
  const initialMs = 1000;
  const maxMs = 5000;

  it('doubles up to the maximum delay, per id', () => {
    const backoff = new Backoff({ initialMs, maxMs, clock: new FakeClock(0) });
    const delays = [1, 2, 3, 4, 5].map(() => {
      backoff.next('a', 0);
      return backoff.get('a');
    });
    expect(delays).toEqual([1000, 2000, 4000, 5000, 5000]);
    expect(backoff.get('b')).toBe(0);
    backoff.reset('a');
    expect(backoff.get('a')).toBe(0);
  });

  it('is in backoff until the delay has passed', async () => {
    const clock = new FakeClock(0);
    const backoff = new Backoff({ initialMs, maxMs, clock });
    backoff.next('a', 0);
    expect(backoff.isInBackoffSince('a', 0)).toBe(true);
    expect(backoff.isInBackoffSinceUpdate('a', 999)).toBe(true);
    await clock.advance(1000);
    expect(backoff.isInBackoffSince('a', 0)).toBe(false);
    expect(backoff.isInBackoffSinceUpdate('a', 1000)).toBe(false);
    expect(backoff.isInBackoffSince('unknown', 0)).toBe(false);
  });

  it('starts again after twice the maximum delay, and gc deletes the entry then', async () => {
    const clock = new FakeClock(0);
    const backoff = new Backoff({ initialMs, maxMs, clock });
    backoff.next('a', 0);
    backoff.next('a', 0);
    await clock.advance(2 * maxMs + 1);
    expect(backoff.isInBackoffSinceUpdate('a', clock.now())).toBe(false);
    backoff.next('a', clock.now());
    expect(backoff.get('a')).toBe(initialMs);
    await clock.advance(2 * maxMs + 1);
    backoff.gc();
    expect(backoff.get('a')).toBe(0);
  });

  it('adds jitter to every delay, up to the maximum', () => {
    const backoff = new Backoff({ initialMs, maxMs, clock: new FakeClock(0), jitterFactor: 0.5, random: () => 1 });
    const delays = [1, 2, 3].map(() => {
      backoff.next('a', 0);
      return backoff.get('a');
    });
    expect(delays).toEqual([1500, 3750, 5000]);
  });
});
