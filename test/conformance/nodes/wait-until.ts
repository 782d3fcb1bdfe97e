import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** For the error: the timeout is one of waiting for this. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const pollMs = 250;

/**
 * Calls the check until it returns a value other than undefined and false, and returns that. A check that rejects is repeated. Rejects on
 * the timeout, with the last failure as the cause, and when the signal is aborted.
 */
export async function waitUntil<T>(
  check: () => Promise<T | undefined | false>,
  { what, timeoutMs, signal }: WaitOptions,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    let cause: unknown;
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      cause = error;
    }
    if (Date.now() >= deadline) {
      const because = cause instanceof Error ? `: ${cause.message}` : '';
      throw new Error(`timed out waiting for ${what}${because}`, { cause });
    }
    await delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
