export { type Clock, systemClock, type Timer, type TimerOptions } from './clock.ts';
export { FakeClock } from './fake-clock.ts';
export { sleep } from './sleep.ts';
