import { type Clock, systemClock } from '@coxswain/apimachinery/clock';

/** Time that runs faster than ours: what waits for minutes waits for seconds, and yet takes its turn among real sockets. */
export function fastClock(factor: number): Clock {
  const startMs = systemClock.now();
  const started = systemClock.monotonic();
  const passed = (): number => (systemClock.monotonic() - started) * factor;
  return {
    now: () => startMs + passed(),
    monotonic: passed,
    setTimeout: (callback, delayMs) => systemClock.setTimeout(callback, delayMs / factor),
  };
}
