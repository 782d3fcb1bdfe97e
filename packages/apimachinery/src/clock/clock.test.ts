import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';
import { sleep } from './sleep.ts';

describe('the system clock', () => {
  const clock = JSON.stringify(fileURLToPath(new URL('./clock.ts', import.meta.url)));
  const run = (program: string): string =>
    execFileSync('npx', ['tsx', '-e', `import { systemClock } from ${clock};\n${program}`], {
      stdio: 'pipe',
    }).toString();

  it('keeps the process alive while a timer is pending', () => {
    expect(run("systemClock.setTimeout(() => console.log('went on'), 10);")).toBe('went on\n');
  });

  it('does not keep the process alive for background timers', () => {
    expect(run("systemClock.setTimeout(() => console.log('kept house'), 60_000, { background: true });")).toBe('');
  });
});

describe('FakeClock', () => {
  it('calls due timers in order of time, each at its own time', async () => {
    const clock = new FakeClock(0);
    const calls: string[] = [];
    clock.setTimeout(() => calls.push(`late ${clock.now()}`), 20);
    clock.setTimeout(() => {
      calls.push(`early ${clock.now()}`);
      clock.setTimeout(() => calls.push(`between ${clock.now()}`), 5);
    }, 10);
    clock.setTimeout(() => calls.push('cancelled'), 15).cancel();
    clock.setTimeout(() => calls.push('not yet'), 31);
    await clock.advance(30);
    expect(calls).toEqual(['early 10', 'between 15', 'late 20']);
    expect(clock.now()).toBe(30);
    expect(clock.pending).toBe(1);
    expect(clock.nextInMs).toBe(1);
  });

  it('lets pending promises settle before the next timer', async () => {
    const clock = new FakeClock(0);
    const woken: number[] = [];
    const loop = (async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(clock, 10);
        woken.push(clock.now());
      }
    })();
    await clock.advance(35);
    await loop;
    expect(woken).toEqual([10, 20, 30]);
  });
});

describe('sleep', () => {
  it('rejects with the reason of the signal, and leaves no timer behind', async () => {
    const clock = new FakeClock(0);
    const stop = new AbortController();
    const sleeping = sleep(clock, 10, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
    await expect(sleep(clock, 10, stop.signal)).rejects.toThrow('enough');
  });
});

describe('a timer of the system clock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('waits for longer than Node can in one timer', () => {
    vi.useFakeTimers();
    const daysMs = 60 * 86_400_000;
    let calls = 0;
    systemClock.setTimeout(() => calls++, daysMs);
    vi.advanceTimersByTime(daysMs - 1);
    expect(calls).toBe(0);
    vi.advanceTimersByTime(1);
    expect(calls).toBe(1);
  });

  it('can be cancelled in a later one of several timers', () => {
    vi.useFakeTimers();
    let calls = 0;
    const timer = systemClock.setTimeout(() => calls++, 2 ** 33);
    vi.advanceTimersByTime(2 ** 32);
    timer.cancel();
    vi.advanceTimersByTime(2 ** 34);
    expect(calls).toBe(0);
  });
});
