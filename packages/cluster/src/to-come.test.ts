import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ToCome } from './to-come.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const watched = (toCome: ToCome): { is: boolean } => {
  const time = { is: false };
  void toCome.time.then(() => {
    time.is = true;
  });
  return time;
};

it('comes after its patience', async () => {
  const time = watched(new ToCome(2000));
  await vi.advanceTimersByTimeAsync(1999);
  expect(time.is).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(time.is).toBe(true);
});

it('comes next, when those who wait for something else have gone on', async () => {
  const toCome = new ToCome(2000);
  const time = watched(toCome);
  toCome.next();
  await Promise.resolve();
  expect(time.is).toBe(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(time.is).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it('never comes once it was cancelled, and leaves no timer', async () => {
  const toCome = new ToCome(2000);
  const time = watched(toCome);
  toCome.cancel();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(5000);
  expect(time.is).toBe(false);
});
