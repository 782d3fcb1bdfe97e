import { type Clock, systemClock } from './clock.ts';

/**
 * Returns a clock with the system's timers and monotonic time, and the date of another clock. For a server whose objects are dated by a
 * clock that stands still, while its requests take real time.
 */
export function datedBy(clock: Pick<Clock, 'now'>): Clock {
  return { ...systemClock, now: () => clock.now() };
}
