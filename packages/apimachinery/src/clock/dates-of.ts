import { type Clock, systemClock } from './clock.ts';

/** Returns a function that returns the clock's date, for code that needs only dates. The default is the system's clock. */
export function datesOf(clock: Pick<Clock, 'now'> = systemClock): () => Date {
  return () => new Date(clock.now());
}
