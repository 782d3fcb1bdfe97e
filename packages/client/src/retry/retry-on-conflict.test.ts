import { FakeClock } from '@coxswain/apimachinery/clock';
import { newConflict, newNotFound } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { defaultBackoff, defaultRetry, retryOnConflict, retryOnError } from './retry-on-conflict.ts';

const pods = GroupResource.of('', 'pods');
const conflict = newConflict(pods, 'a', new Error('changed'));
const notFound = newNotFound(pods, 'a');

describe('retryOnConflict', () => {
  const attempt = async (outcomes: readonly (Error | string)[], backoff = defaultRetry) => {
    const clock = new FakeClock(0);
    const at: number[] = [];
    const result = retryOnConflict(
      async () => {
        const outcome = outcomes[Math.min(at.push(clock.now()), outcomes.length) - 1]!;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      { backoff, clock, random: () => 0 },
    ).catch((error: unknown) => error);
    await clock.advance(1000);
    return { at, result: await result };
  };

  it('resolves with the result of the call', async () => {
    expect(await attempt(['ok'])).toEqual({ at: [0], result: 'ok' });
  });

  it('retries after a conflict', async () => {
    expect(await attempt([conflict, conflict, 'ok'])).toEqual({ at: [0, 10, 20], result: 'ok' });
  });

  it('ends with the conflict after five tries', async () => {
    const { at, result } = await attempt([conflict]);
    expect(at).toEqual([0, 10, 20, 30, 40]);
    expect(result).toBe(conflict);
  });

  it('backs off exponentially with defaultBackoff', async () => {
    expect((await attempt([conflict], defaultBackoff)).at).toEqual([0, 10, 60, 310]);
  });

  it('does not retry after another error', async () => {
    expect(await attempt([conflict, notFound])).toEqual({ at: [0, 10], result: notFound });
  });

  it('rejects when its signal is aborted during a delay', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const failed = expect(
      retryOnError(
        () => true,
        () => Promise.reject(conflict),
        { clock, signal: stop.signal },
      ),
    ).rejects.toBe('stop');
    await clock.whenWaiting();
    stop.abort('stop');
    await failed;
    expect(clock.pending).toBe(0);
  });
});
