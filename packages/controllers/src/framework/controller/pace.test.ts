import { FakeClock } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';

describe('Pace', () => {
  it('allows a key at once the first time, and then once per period', async () => {
    const clock = new FakeClock();
    const pace = new Pace(clock, 50);
    expect(pace.delayOf('a')).toBe(0);
    pace.begin('a');
    expect([pace.delayOf('a'), pace.delayOf('b')]).toEqual([50, 0]);
    await clock.advance(30);
    pace.begin('b');
    expect([pace.delayOf('a'), pace.delayOf('b')]).toEqual([20, 50]);
    await clock.advance(20);
    pace.begin('c');
    expect([pace.delayOf('a'), pace.delayOf('b'), pace.delayOf('c')]).toEqual([0, 30, 50]);
  });

  it('delays nothing when the period is 0', () => {
    const pace = new Pace(new FakeClock(), 0);
    pace.begin('a');
    expect(pace.delayOf('a')).toBe(0);
  });
});
