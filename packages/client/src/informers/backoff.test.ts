import { FakeClock } from '@coxswain/apimachinery/clock';
import { expect, it } from 'vitest';
import { Backoff } from './backoff.ts';

it('doubles from 0.8 to 30 seconds with jitter, and restarts after two minutes without a call', async () => {
  const clock = new FakeClock();
  let chance = 0;
  const backoff = new Backoff(clock, () => chance);
  expect(Array.from({ length: 8 }, () => backoff.next())).toEqual([
    800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
  ]);
  chance = 0.5;
  expect(backoff.next()).toBe(45_000);
  await clock.advance(119_999);
  expect(backoff.next()).toBe(45_000);
  await clock.advance(120_000);
  expect(backoff.next()).toBe(1200);
});
