import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestClock } from './test-clock.ts';

const frozen = (start = 0): TestClock => new TestClock(start, { flows: false });

describe('a clock that stands still', () => {
  it('fires exactly the due timers, ordered by time and then by the order in which they were set', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { maxLength: 30 }),
        fc.array(fc.nat(29)),
        fc.nat(60),
        (delays, cancelled, to) => {
          const clock = frozen();
          const calls: number[] = [];
          const timers = delays.map((delay, index) => clock.setTimeout(() => calls.push(index), delay));
          for (const index of cancelled) timers[index]?.cancel();
          clock.moveTo(to);
          expect(calls).toEqual([]);
          clock.fireDue();
          const left = delays
            .map((delay, index) => ({ delay, index }))
            .filter(({ index }) => !cancelled.includes(index));
          const due = left.filter(({ delay }) => delay <= to).sort((a, b) => a.delay - b.delay || a.index - b.index);
          expect(calls).toEqual(due.map(({ index }) => index));
          expect(clock.pending).toBe(left.length - due.length);
          expect(clock.nextAt).toBe(
            left.length > due.length
              ? Math.min(...left.map(({ delay }) => delay).filter((delay) => delay > to))
              : undefined,
          );
        },
      ),
    );
  });

  it('a timer that a callback sets for the current time fires at the next fireDue', () => {
    const clock = frozen();
    const calls: string[] = [];
    clock.setTimeout(() => clock.setTimeout(() => calls.push('second'), 0), 10);
    clock.moveTo(10);
    clock.fireDue();
    expect(calls).toEqual([]);
    clock.fireDue();
    expect(calls).toEqual(['second']);
  });

  it('a callback can cancel another timer of the same time', () => {
    const clock = frozen();
    const calls: string[] = [];
    clock.setTimeout(() => second.cancel(), 10);
    const second = clock.setTimeout(() => calls.push('second'), 10);
    clock.moveTo(10);
    clock.fireDue();
    expect(calls).toEqual([]);
  });

  it('never goes back', () => {
    const clock = frozen(1000);
    clock.moveTo(50);
    clock.moveTo(20);
    expect([clock.now(), clock.monotonic()]).toEqual([1050, 50]);
  });

  it('tells timers apart by owner, and background timers from others', () => {
    const clock = frozen();
    const calls: string[] = [];
    clock.of('nodes').setTimeout(() => calls.push('nodes'), 10);
    clock.of('controllers').setTimeout(() => calls.push('controllers'), 5);
    clock.setTimeout(() => {}, 100, { background: true });
    const known = clock.appointments(({ delayMs }) => delayMs > 7);
    expect(clock.earliestOf(known)).toMatchObject({ at: 10, delayMs: 10, setAt: 0 });
    clock.moveTo(20);
    clock.fireDue((owner) => owner === 'nodes');
    expect(calls).toEqual(['nodes']);
    expect(clock.earliestOf(known)).toBeUndefined();
  });
});

describe('a clock that flows', () => {
  it('runs by itself, stands still while it is held, and then continues from its new time', async () => {
    const clock = new TestClock(0);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 5));
    const [release, releaseToo] = [clock.hold(), clock.hold()];
    const held = clock.monotonic();
    expect(held).toBeGreaterThanOrEqual(5);
    let isCalled = false;
    const called = new Promise<void>((resolve) => {
      clock.setTimeout(() => {
        isCalled = true;
        resolve();
      }, 1);
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    release();
    release();
    expect([isCalled, clock.monotonic()]).toEqual([false, held]);
    clock.moveTo(3_600_000);
    releaseToo();
    await called;
    expect(clock.now()).toBeGreaterThanOrEqual(3_600_000);
    clock.stop();
    clock.setTimeout(() => {}, 1);
    expect(clock.pending).toBe(0);
  });
});
