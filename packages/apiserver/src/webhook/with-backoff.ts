import { isInternalError, isTimeout, isTooManyRequests, suggestsClientDelay } from '@coxswain/apimachinery';
import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { WebhookCallError } from './webhook-error.ts';

export interface BackoffOptions {
  readonly random: () => number;
  /** The system clock by default. */
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Replaces the pause, for tests. */
  readonly pause?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

const initialDelayMs = 500;
const factor = 1.5;
const jitter = 0.2;
const attempts = 5;

/**
 * Calls a webhook up to five times while it fails with a temporary error, with growing pauses in between. Throws the error of the
 * last call.
 */
export async function withBackoff<T>(call: () => Promise<T>, options: BackoffOptions): Promise<T> {
  const { random, signal, clock = systemClock } = options;
  const { pause = (ms) => sleep(clock, ms, { signal, background: true }) } = options;
  let delayMs = initialDelayMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === attempts || signal?.aborted || !mayPass(error)) throw error;
      await pause(delayMs * (1 + random() * jitter), signal).catch(() => {
        throw error;
      });
      delayMs *= factor;
    }
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof WebhookCallError)) return false;
  const { status } = error;
  if (status)
    return (
      isInternalError(status) ||
      isTimeout(status) ||
      isTooManyRequests(status) ||
      suggestsClientDelay(status) !== undefined
    );
  return error.failure === 'network' && error.message.includes('connection reset by peer');
}
