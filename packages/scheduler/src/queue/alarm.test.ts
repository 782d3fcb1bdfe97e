import { FakeClock } from '@coxswain/client';
import { expect, it } from 'vitest';
import { Alarm } from './alarm.ts';

it('fires once, at the earliest of the times it was set to, and can be set again', async () => {
  const clock = new FakeClock(1000);
  const rung: number[] = [];
  const alarm = new Alarm(clock, () => rung.push(clock.now()));
  alarm.setAt(1500);
  alarm.setAt(1200);
  alarm.setAt(1300);
  expect(clock.pending).toBe(1);
  await clock.advance(1000);
  expect(rung).toEqual([1200]);
  alarm.setAt(2100);
  await clock.advance(100);
  expect(rung).toEqual([1200, 2100]);
  // A time in the past fires immediately.
  alarm.setAt(1);
  await clock.advance(0);
  expect(rung).toEqual([1200, 2100, 2100]);
});

it('does not fire after it is stopped', async () => {
  const clock = new FakeClock(1000);
  const alarm = new Alarm(clock, () => expect.unreachable());
  alarm.setAt(1500);
  alarm.stop();
  alarm.setAt(1600);
  expect(clock.pending).toBe(0);
});
