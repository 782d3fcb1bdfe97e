import { type Clock, systemClock } from './clock.ts';

/** The clock for those who only ask what the date is; the machine's where none is given. */
export function datesOf(clock: Pick<Clock, 'now'> = systemClock): () => Date {
  return () => new Date(clock.now());
}
