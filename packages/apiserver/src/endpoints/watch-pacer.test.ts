import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { WatchPacer } from './watch-pacer.ts';

describe('WatchPacer', () => {
  it('delays watchers that were sent something just before', () => {
    const clock = new FakeClock();
    const pacer = new WatchPacer(clock);
    expect(pacer.isTooSoon(clock.monotonic())).toBe(true);
    expect(pacer.isTooSoon(clock.monotonic() - 1000)).toBe(false);
    expect(pacer.isTooSoon(Number.NEGATIVE_INFINITY)).toBe(false);
  });

  it('calls every scheduled callback once, and those scheduled meanwhile in the next flush', () => {
    const clock = new FakeClock();
    const pacer = new WatchPacer(clock);
    const called: string[] = [];
    const a = () => void called.push('a');
    const b = () => {
      called.push('b');
      pacer.schedule(a);
    };
    pacer.schedule(a);
    pacer.schedule(a);
    pacer.schedule(b);
    clock.turn(clock.nextInMs ?? 0);
    expect(called).toEqual(['a', 'b']);
    clock.turn(clock.nextInMs ?? 0);
    expect(called).toEqual(['a', 'b', 'a']);
    expect(clock.pending).toBe(0);
  });

  it('concatenates the same frames only once', () => {
    const clock = new FakeClock();
    const pacer = new WatchPacer(clock);
    const [a, b, twin] = [Buffer.from('a'), Buffer.from('b'), Buffer.from('b')];
    const chunks: Buffer[] = [];
    const waitFor = (...frames: Buffer[]) => pacer.schedule(() => void chunks.push(pacer.join(frames)));
    waitFor(a, b);
    waitFor(a, b);
    waitFor(a, twin);
    waitFor(a, twin, b);
    waitFor(b, a);
    clock.turn(clock.nextInMs ?? 0);
    expect(chunks.map(String)).toEqual(['ab', 'ab', 'ab', 'abb', 'ba']);
    expect(chunks[1]).toBe(chunks[0]);
    expect(chunks[2]).not.toBe(chunks[0]);
  });

  it('waits longer when sending takes longer, up to a limit', () => {
    const clock = new FakeClock();
    const pacer = new WatchPacer(clock);
    const pacesAfter = (tookMs: number): boolean[] => {
      pacer.schedule(() => clock.turn(tookMs));
      clock.turn(clock.nextInMs ?? 0);
      return [1.9, 5.9, 9.9, 10.1].map((ago) => pacer.isTooSoon(clock.monotonic() - ago));
    };
    expect(pacesAfter(0)).toEqual([true, false, false, false]);
    expect(pacesAfter(1.2)).toEqual([true, true, false, false]);
    expect(pacesAfter(100)).toEqual([true, true, true, false]);
    expect(pacesAfter(0.1)).toEqual([true, false, false, false]);
  });
});
