import type { Filter } from './filter.ts';
import { type InFlight, isLongRunning, tooManyRequests } from './in-flight.ts';

/** Responds with a 429 above the in-flight limits. Used without priority and fairness. */
export function withMaxInFlight(inFlight: InFlight): Filter {
  return (next) => async (state) => {
    if (isLongRunning(state.info)) return next(state);
    const leave = inFlight.enter(state.info.verb);
    if (!leave) return tooManyRequests();
    try {
      return await next(state);
    } finally {
      leave();
    }
  };
}
