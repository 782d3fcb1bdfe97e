import { ApiError, newInternalError } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { WebhookCallError } from './webhook-error.ts';
import { withBackoff } from './with-backoff.ts';

const status = (code: number, reason?: string): WebhookCallError =>
  new WebhookCallError('no', 'status', {
    status: new ApiError({ status: 'Failure', code, message: 'no', ...(reason && { reason }) }),
  });

async function attempts(error: unknown, random = 0): Promise<{ readonly calls: number; readonly pauses: number[] }> {
  let calls = 0;
  const pauses: number[] = [];
  const call = async (): Promise<never> => {
    calls++;
    throw error;
  };
  const pause = async (ms: number): Promise<void> => void pauses.push(ms);
  await expect(withBackoff(call, { random: () => random, pause })).rejects.toBe(error);
  return { calls, pauses };
}

describe('withBackoff', () => {
  it('calls up to five times, with growing pauses', async () => {
    expect(await attempts(status(500))).toEqual({ calls: 5, pauses: [500, 750, 1125, 1687.5] });
    expect((await attempts(status(500), 0.5)).pauses[0]).toBe(550);
  });

  it.each([
    ['an internal error', new WebhookCallError('no', 'status', { status: newInternalError(new Error('no')) }), 5],
    ['too many requests', status(429, 'TooManyRequests'), 5],
    ['a gateway timeout', status(504, 'Timeout'), 5],
    ['a connection that is reset', new WebhookCallError('read: connection reset by peer', 'network'), 5],
    ['a server that is down', new WebhookCallError('connect: connection refused', 'network'), 1],
    ['a refusal', status(403, 'Forbidden'), 1],
    ['a deadline', new WebhookCallError('context deadline exceeded', 'deadline'), 1],
    ['an invalid response', new WebhookCallError('what?', 'answer'), 1],
    ['another error', new Error('oops'), 1],
  ])('after %s', async (_, error, calls) => {
    expect((await attempts(error)).calls).toBe(calls);
  });

  it('ends with the first successful call', async () => {
    let calls = 0;
    const result = await withBackoff(
      async () => {
        if (++calls < 3) throw status(500);
        return 'good';
      },
      { random: () => 0, pause: async () => {} },
    );
    expect([result, calls]).toEqual(['good', 3]);
  });

  it('ends when the caller aborts', async () => {
    const controller = new AbortController();
    const error = status(500);
    const called = withBackoff(
      async () => {
        controller.abort();
        throw error;
      },
      { random: () => 0, signal: controller.signal },
    );
    await expect(called).rejects.toBe(error);
  });
});
