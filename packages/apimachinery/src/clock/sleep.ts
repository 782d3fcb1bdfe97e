import { onAbort } from '../abort/on-abort.ts';
import type { Clock } from './clock.ts';

/** Waits. Rejects with the signal's reason as soon as it is aborted, and leaves no timer behind. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const unlink = onAbort(signal, () => {
      timer.cancel();
      reject(signal!.reason);
    });
    const timer = clock.setTimeout(() => {
      unlink();
      resolve();
    }, delayMs);
  });
}
