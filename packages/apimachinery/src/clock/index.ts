export { type Clock, systemClock, type Timer, type TimerOptions } from './clock.ts';
export { datedBy } from './dated-by.ts';
export { datesOf } from './dates-of.ts';
export { FakeClock } from './fake-clock.ts';
export { repeat } from './repeat.ts';
export { sleep } from './sleep.ts';
