import type { Clock } from '@coxswain/client';

/** What work is aborted with when its time is over. */
export class DeadlineExceeded extends Error {
  constructor() {
    super('context deadline exceeded');
    this.name = 'DeadlineExceeded';
  }
}

export interface DeadlineOptions {
  readonly clock: Clock;
  /** No limit when absent. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs work with a signal that is aborted when the caller's is, with the caller's reason, and with DeadlineExceeded after the timeout. The
 * work has to end when its signal is aborted.
 */
export async function withDeadline<T>(
  { clock, timeoutMs, signal }: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer =
    timeoutMs === undefined ? undefined : clock.setTimeout(() => controller.abort(new DeadlineExceeded()), timeoutMs);
  try {
    return await work(controller.signal);
  } finally {
    timer?.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
