/** The Clock of `@coxswain/apimachinery`, passed as a parameter so that tests control time. */
export {
  type Clock,
  FakeClock,
  sleep,
  systemClock,
  type Timer,
  type TimerOptions,
} from '@coxswain/apimachinery/clock';
