import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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
