import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { type BackoffPolicy, BackoffSteps, backoffDelaysWithReset } from './backoff.ts';
import { childSignal } from './child-signal.ts';
import { exponentialBackoff, pollUntil } from './poll.ts';
import { backoffUntil, jitterUntil, until } from './until.ts';
import { isInterrupted, WaitTimeoutError } from './wait-timeout-error.ts';

const no = (): boolean => false;

// The expected delays, steps left and numbers of tries are those of apimachinery's wait package.
describe('BackoffPolicy', () => {
  it.each<{ name: string; backoff: BackoffPolicy; waits: string; tries: number }>([
    {
      name: 'grows by its factor',
      backoff: { durationMs: 10, factor: 5, steps: 4 },
      waits: '10/3 50/2 250/1 1250/0 6250/0 6250/0',
      tries: 4,
    },
    {
      name: 'ends at its cap',
      backoff: { durationMs: 10, factor: 2, steps: 10, capMs: 50 },
      waits: '10/9 20/8 40/0 50/0 50/0 50/0',
      tries: 3,
    },
    {
      name: 'stays the same without a factor',
      backoff: { durationMs: 10, steps: 3 },
      waits: '10/2 10/1 10/0 10/0 10/0 10/0',
      tries: 3,
    },
    {
      name: 'does not grow without steps',
      backoff: { durationMs: 10, factor: 2 },
      waits: '10/0 10/0 10/0 10/0 10/0 10/0',
      tries: 0,
    },
  ])('$name', async ({ backoff, waits, tries }) => {
    const steps = new BackoffSteps(backoff);
    expect(Array.from({ length: 6 }, () => `${steps.next()}/${steps.left}`).join(' ')).toBe(waits);
    const clock = new FakeClock();
    let tried = 0;
    const failed = expect(exponentialBackoff(backoff, () => ++tried < 0, { clock })).rejects.toThrow(
      'timed out waiting for the condition',
    );
    await clock.advance(10_000);
    await failed;
    expect(tried).toBe(tries);
  });

  it('adds jitter to each delay without accumulating it', () => {
    const steps = new BackoffSteps({ durationMs: 10, factor: 2, jitter: 0.5, steps: 5 }, () => 0.8);
    expect([steps.next(), steps.next(), steps.next()]).toEqual([14, 28, 56]);
  });

  it('restarts after its reset time', async () => {
    const clock = new FakeClock();
    const delay = backoffDelaysWithReset({ durationMs: 1, factor: 2, steps: 9 }, { resetMs: 100, clock });
    expect([delay(), delay(), delay()]).toEqual([1, 2, 4]);
    await clock.advance(100);
    expect(delay()).toBe(8);
    await clock.advance(1);
    expect([delay(), delay()]).toEqual([1, 2]);
  });
});

describe('pollUntil', () => {
  const looks = async (
    immediate: boolean,
    metAt: number,
    condition: (now: number) => Promise<void> | void = () => {},
  ) => {
    const clock = new FakeClock(0);
    const at: number[] = [];
    const done = pollUntil({ intervalMs: 10, timeoutMs: 100, immediate, clock }, async () => {
      at.push(clock.now());
      await condition(clock.now());
      return at.length === metAt;
    }).then(
      () => 'met',
      (error: unknown) => String(error),
    );
    await clock.advance(200);
    return { at, outcome: await done, pending: clock.pending };
  };

  it.each([
    { name: 'at once and every interval', immediate: true, at: [0, 10, 20] },
    { name: 'every interval', immediate: false, at: [10, 20, 30] },
  ])('checks $name', async ({ immediate, at }) => {
    expect(await looks(immediate, 3)).toEqual({ at, outcome: 'met', pending: 0 });
  });

  it('rejects after the timeout', async () => {
    const { at, outcome, pending } = await looks(false, 99);
    expect(at.slice(-2)).toEqual([80, 90]);
    expect([outcome, pending]).toEqual(['WaitTimeoutError: timed out waiting for the condition', 0]);
  });

  it('rejects with errors of the condition', async () => {
    const failing = looks(true, 9, () => Promise.reject(new Error('broken')));
    expect(await failing).toEqual({ at: [0], outcome: 'Error: broken', pending: 0 });
  });

  it('rejects after the timeout even if a check never ends, and aborts its signal', async () => {
    const clock = new FakeClock();
    let told: AbortSignal | undefined;
    const done = pollUntil({ intervalMs: 10, timeoutMs: 50, clock }, (signal) => {
      told = signal;
      return new Promise<boolean>(() => {});
    });
    const failed = expect(done).rejects.toBeInstanceOf(WaitTimeoutError);
    await clock.advance(50);
    await failed;
    expect(told?.aborted).toBe(true);
  });

  it('checks again at once after a check that took longer than the interval', async () => {
    const clock = new FakeClock(0);
    const at: number[] = [];
    const done = pollUntil({ intervalMs: 10, clock }, async () => {
      at.push(clock.now());
      if (at.length === 1) await new Promise<void>((resolve) => clock.setTimeout(resolve, 25));
      return at.length === 3;
    });
    await clock.advance(100);
    await done;
    expect(at).toEqual([10, 35, 45]);
  });

  it('rejects with the reason of its signal', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const reason = new Error('stop');
    const failed = expect(pollUntil({ intervalMs: 10, clock, signal: stop.signal }, no)).rejects.toBe(reason);
    await clock.advance(15);
    stop.abort(reason);
    await failed;
    expect(clock.pending).toBe(0);
    await expect(pollUntil({ intervalMs: 10, immediate: true, clock, signal: stop.signal }, no)).rejects.toBe(reason);
  });
});

describe('until', () => {
  const runs = async (loop: (clock: FakeClock, run: () => Promise<void>, signal: AbortSignal) => Promise<void>) => {
    const clock = new FakeClock(0);
    const stop = new AbortController();
    const at: number[] = [];
    const done = loop(
      clock,
      async () => {
        at.push(clock.now());
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 4));
      },
      stop.signal,
    );
    await clock.advance(50);
    stop.abort();
    await clock.advance(4);
    await done;
    expect(clock.pending).toBe(0);
    return at;
  };

  it('runs every period after the end of the previous run', async () => {
    expect(await runs((clock, run, signal) => until(10, run, { clock, signal }))).toEqual([0, 14, 28, 42]);
  });

  it('runs every period from the start of the previous run', async () => {
    const at = await runs((clock, run, signal) => until(10, run, { clock, signal, sliding: false }));
    expect(at).toEqual([0, 10, 20, 30, 40, 50]);
  });

  it('runs with jitter', async () => {
    const options = { jitterFactor: 0.5, random: () => 0.2 };
    expect(await runs((clock, run, signal) => jitterUntil(10, run, { clock, signal, ...options }))).toEqual([
      0, 15, 30, 45,
    ]);
  });

  it('runs with any delay function', async () => {
    let wait = 1;
    const delay = (): number => {
      wait *= 2;
      return wait;
    };
    expect(await runs((clock, run, signal) => backoffUntil(delay, run, { clock, signal }))).toEqual([0, 6, 14, 26, 46]);
  });

  it('does not run when the signal is aborted, and rejects with errors of a run', async () => {
    await until(10, () => Promise.reject(new Error('not to be called')), { signal: AbortSignal.abort() });
    const { signal } = new AbortController();
    await expect(until(10, () => Promise.reject(new Error('broken')), { signal })).rejects.toThrow('broken');
  });
});

describe('childSignal', () => {
  it('is aborted with its parent and after its timeout, and leaves nothing behind', async () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    const first = childSignal({ parent: parent.signal, timeoutMs: 10, clock });
    const second = childSignal({ parent: parent.signal, timeoutMs: 20, clock, onTimeout: () => 'late' });
    const third = childSignal({ parent: parent.signal, timeoutMs: 20, clock });
    third.dispose();
    await clock.advance(10);
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
    expect(isInterrupted(first.signal.reason)).toBe(true);
    parent.abort('parent');
    expect([second.signal.reason, third.signal.aborted, clock.pending]).toEqual(['parent', false, 0]);
    expect(childSignal({ parent: parent.signal, timeoutMs: 5, clock }).signal.reason).toBe('parent');
    expect(clock.pending).toBe(0);
  });
});
