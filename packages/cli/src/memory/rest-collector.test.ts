import { describe, expect, it } from 'vitest';
import { type CollectedProcess, collectAtRest } from './rest-collector.ts';
import { thisCollectedProcess } from './this-process.ts';

/** A process of which the test says what it does in each of the intervals; what comes out is in which of them it collected. */
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

describe('garbage is collected', () => {
  it('twice when a process has come to rest, whatever that takes itself', () =>
    expect(collectedIn([busy, resting, resting, resting, resting])).toEqual([1, 2]));

  it('once more for each time it was busy', () =>
    expect(collectedIn([resting, resting, busy, busy, resting, busy, resting, resting, resting])).toEqual([
      0, 1, 4, 6, 7,
    ]));

  it('never while it is busy', () => expect(collectedIn([busy, { cpuMs: 120 }, busy])).toEqual([]));

  it('not where that would be felt', () =>
    expect(collectedIn([busy, { ...resting, heapUsedMiB: 500 }, { ...resting, heapUsedMiB: 127 }])).toEqual([2]));

  it('of this process too, and nobody else is given the means', async () => {
    const garbage = new WeakRef({});
    // What was made in this turn of the event loop is held until it ends.
    await new Promise(setImmediate);
    thisCollectedProcess.collect();
    expect(garbage.deref()).toBeUndefined();
    const { runInNewContext } = await import('node:vm');
    expect(runInNewContext('typeof gc')).toBe('undefined');
  });
});
