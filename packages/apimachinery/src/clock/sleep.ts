import { onAbort } from '../abort/on-abort.ts';
import type { Clock, TimerOptions } from './clock.ts';

export interface SleepOptions extends TimerOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Resolves after `delayMs`. Rejects with the signal's reason as soon as the signal is aborted, and then leaves no timer behind. */
export function sleep(clock: Clock, delayMs: number, options: AbortSignal | SleepOptions = {}): Promise<void> {
  const { signal, background = false } = options instanceof AbortSignal ? { signal: options } : options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const unlink = onAbort(signal, () => {
      timer.cancel();
      reject(signal!.reason);
    });
    const timer = clock.setTimeout(
      () => {
        unlink();
        resolve();
      },
      delayMs,
      { background },
    );
  });
}
