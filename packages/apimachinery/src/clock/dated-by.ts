import { type Clock, systemClock } from './clock.ts';

/**
 * The machine's timers and monotonic time with the date of another clock: for a server whose objects live by a clock that stands
 * still, while its requests take the time that they take.
 */
export function datedBy(clock: Pick<Clock, 'now'>): Clock {
  return { ...systemClock, now: () => clock.now() };
}
