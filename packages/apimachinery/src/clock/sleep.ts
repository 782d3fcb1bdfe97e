import { onAbort } from '../abort/on-abort.ts';
import type { Clock, TimerOptions } from './clock.ts';

export interface SleepOptions extends TimerOptions {
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits. Rejects with the signal's reason as soon as it is aborted, and leaves no timer behind. */
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
