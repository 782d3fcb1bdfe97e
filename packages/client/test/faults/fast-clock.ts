import { type Clock, systemClock } from '@coxswain/apimachinery/clock';

/** A clock that runs faster than real time: minutes take seconds, while real sockets still work. */
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
