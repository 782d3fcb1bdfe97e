import { FakeClock } from '@coxswain/apimachinery/clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExpiryQueue } from './expiry-queue.ts';
import type { LogRecord } from './log.ts';

const recordAt = (revision: number, expiresAt: number): LogRecord => ({
  revision,
  key: `k${revision}`,
  createRevision: revision,
  previousRevision: 0,
  expiresAt,
});

describe('ExpiryQueue', () => {
  it('expires each key at its time and not before, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1000), { maxLength: 200 }), async (delays) => {
        const clock = new FakeClock();
        const start = clock.now();
        const expired: number[] = [];
        const queue = new ExpiryQueue({
          clock,
          isCurrent: () => true,
          expire: async ({ expiresAt }) => {
            expect(clock.now()).toBeGreaterThanOrEqual(expiresAt);
            expired.push(expiresAt - start);
          },
        });
        for (const [index, delay] of delays.entries()) queue.add(recordAt(index, start + delay * 1000));
        await clock.advance(500000);
        const sorted = [...delays].sort((a, b) => a - b).map((delay) => delay * 1000);
        expect(expired).toEqual(sorted.filter((delay) => delay <= 500_000));
        await clock.advance(500000);
        expect(expired).toEqual(sorted);
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  it('removes outdated records instead of accumulating them', async () => {
    const clock = new FakeClock();
    const end = clock.now() + 3600_000;
    let newest = 0;
    const expired: number[] = [];
    let asked = 0;
    const queue = new ExpiryQueue({
      clock,
      isCurrent: ({ revision }) => {
        asked++;
        return revision === newest;
      },
      expire: async ({ revision }) => void expired.push(revision),
    });
    for (newest = 1; newest < 50_000; newest++) queue.add(recordAt(newest, end));
    newest--;
    asked = 0;
    await clock.advance(3_600_000);
    expect(expired).toEqual([newest]);
    expect(asked).toBeLessThan(2000);
  });

  it('retries deletions that failed', async () => {
    const clock = new FakeClock();
    let failures = 3;
    const expired: number[] = [];
    const queue = new ExpiryQueue({
      clock,
      isCurrent: () => true,
      expire: async ({ revision }) => {
        if (failures-- > 0) throw new Error('no disk');
        expired.push(revision);
      },
    });
    queue.add(recordAt(1, clock.now() + 1000));
    await clock.advance(1000);
    expect(expired).toEqual([]);
    await clock.advance(10000);
    expect(expired).toEqual([1]);
  });

  it('waits longer than the longest timer, and has no timer after stop', async () => {
    const clock = new FakeClock();
    const expired: number[] = [];
    const queue = new ExpiryQueue({
      clock,
      isCurrent: () => true,
      expire: async ({ revision }) => void expired.push(revision),
    });
    const monthSeconds = 31 * 24 * 3600;
    queue.add(recordAt(1, clock.now() + monthSeconds * 1000));
    queue.add(recordAt(2, clock.now() + 2 * monthSeconds * 1000));
    await clock.advance(monthSeconds * 1000);
    expect(expired).toEqual([1]);
    queue.stop();
    await clock.advance(2 * monthSeconds * 1000);
    expect(expired).toEqual([1]);
    expect(clock.pending).toBe(0);
  });
});
