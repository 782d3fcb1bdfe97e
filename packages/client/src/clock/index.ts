/** Time as a parameter: the clock of `@coxswain/apimachinery`. */
export {
  type Clock,
  FakeClock,
  sleep,
  systemClock,
  type Timer,
  type TimerOptions,
} from '@coxswain/apimachinery/clock';
