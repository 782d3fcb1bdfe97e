import type { Clock, Timer, TimerOptions } from './clock.ts';

/** Calls `callback` after `intervalMs`, and again `intervalMs` after each call, until it is cancelled. */
export function repeat(clock: Clock, callback: () => void, intervalMs: number, options?: TimerOptions): Timer {
  let timer: Timer;
  let isCancelled = false;
  const wait = (): void => {
    timer = clock.setTimeout(call, intervalMs, options);
  };
  const call = (): void => {
    callback();
    if (!isCancelled) wait();
  };
  wait();
  return {
    cancel() {
      isCancelled = true;
      timer.cancel();
    },
  };
}
