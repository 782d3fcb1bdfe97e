import { describe, expect, it } from 'vitest';
import { type CollectedProcess, collectAtRest } from './rest-collector.ts';
import { thisCollectedProcess } from './this-process.ts';

/** Runs a process whose CPU and heap use in each interval the test defines. Returns the intervals in which it collected. */
function collectedIn(intervals: readonly { readonly cpuMs: number; readonly heapUsedMiB?: number }[]): number[] {
  const collected: number[] = [];
  let [cpuMs, heapUsedMiB, index] = [1000, 50, 0];
  let tick = (): void => {};
  const process: CollectedProcess = {
    cpuMs: () => cpuMs,
    heapUsedMiB: () => heapUsedMiB,
    collect() {
      collected.push(index);
      cpuMs += 150;
    },
    every(ms, callback) {
      expect(ms).toBe(6000);
      tick = callback;
      return () => {
        tick = () => {};
      };
    },
  };
  const stop = collectAtRest(process);
  for (; index < intervals.length; index++) {
    cpuMs += intervals[index]!.cpuMs;
    heapUsedMiB = intervals[index]!.heapUsedMiB ?? 50;
    tick();
  }
  stop();
  tick();
  return collected;
}

const [busy, resting] = [{ cpuMs: 2000 }, { cpuMs: 20 }];

describe('garbage collection', () => {
  it('runs twice when a process becomes idle, whatever CPU time it uses itself', () =>
    expect(collectedIn([busy, resting, resting, resting, resting])).toEqual([1, 2]));

  it('runs again after each busy period', () =>
    expect(collectedIn([resting, resting, busy, busy, resting, busy, resting, resting, resting])).toEqual([
      0, 1, 4, 6, 7,
    ]));

  it('does not run while the process is busy', () => expect(collectedIn([busy, { cpuMs: 120 }, busy])).toEqual([]));

  it('does not run while the heap is so large that it would take long', () =>
    expect(collectedIn([busy, { ...resting, heapUsedMiB: 500 }, { ...resting, heapUsedMiB: 127 }])).toEqual([2]));

  it('works for this process, without exposing gc globally', async () => {
    const garbage = new WeakRef({});
    // An object created in this turn of the event loop is kept alive until its end.
    await new Promise(setImmediate);
    thisCollectedProcess.collect();
    expect(garbage.deref()).toBeUndefined();
    const { runInNewContext } = await import('node:vm');
    expect(runInNewContext('typeof gc')).toBe('undefined');
  });
});
