import { afterEach, describe, expect, it, vi } from 'vitest';
import { WatchPacer } from './watch-pacer.ts';

afterEach(() => vi.useRealTimers());

describe('the pace of watches', () => {
  it('is for those who were just sent something', () => {
    const pacer = new WatchPacer();
    expect(pacer.isTooSoon(performance.now())).toBe(true);
    expect(pacer.isTooSoon(performance.now() - 1000)).toBe(false);
    expect(pacer.isTooSoon(Number.NEGATIVE_INFINITY)).toBe(false);
  });

  it('calls all who wait, each once, and those who come later later', () => {
    vi.useFakeTimers();
    const pacer = new WatchPacer();
    const called: string[] = [];
    const a = () => void called.push('a');
    const b = () => {
      called.push('b');
      pacer.schedule(a);
    };
    pacer.schedule(a);
    pacer.schedule(a);
    pacer.schedule(b);
    vi.runOnlyPendingTimers();
    expect(called).toEqual(['a', 'b']);
    vi.runOnlyPendingTimers();
    expect(called).toEqual(['a', 'b', 'a']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('joins what several wait for once', () => {
    vi.useFakeTimers();
    const pacer = new WatchPacer();
    const [a, b, twin] = [Buffer.from('a'), Buffer.from('b'), Buffer.from('b')];
    const chunks: Buffer[] = [];
    const waitFor = (...frames: Buffer[]) => pacer.schedule(() => void chunks.push(pacer.join(frames)));
    waitFor(a, b);
    waitFor(a, b);
    waitFor(a, twin);
    waitFor(a, twin, b);
    waitFor(b, a);
    vi.runOnlyPendingTimers();
    expect(chunks.map(String)).toEqual(['ab', 'ab', 'ab', 'abb', 'ba']);
    expect(chunks[1]).toBe(chunks[0]);
    expect(chunks[2]).not.toBe(chunks[0]);
  });

  it('slackens as sending takes longer, up to a limit', () => {
    vi.useFakeTimers();
    let now = 0;
    const pacer = new WatchPacer(() => now);
    const pacesAfter = (tookMs: number): boolean[] => {
      pacer.schedule(() => {
        now += tookMs;
      });
      vi.runOnlyPendingTimers();
      return [1.9, 5.9, 9.9, 10.1].map((ago) => pacer.isTooSoon(now - ago));
    };
    expect(pacesAfter(0)).toEqual([true, false, false, false]);
    expect(pacesAfter(1.2)).toEqual([true, true, false, false]);
    expect(pacesAfter(100)).toEqual([true, true, true, false]);
    expect(pacesAfter(0.1)).toEqual([true, false, false, false]);
  });
});
