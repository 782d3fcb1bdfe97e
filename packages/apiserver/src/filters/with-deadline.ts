import { type ApiError, durationToMs, newBadRequest, newTimeoutError } from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ApiResponse, StreamingBody } from '@coxswain/component-base/http';
import type { Filter } from './filter.ts';
import { isLongRunning } from './in-flight.ts';

/**
 * Limits the time of requests that are not long-running, until the response is sent completely. Throws Timeout (504) when
 * there is no response in time, and closes the connection when a client is too slow to read a streamed response. Clients can
 * set a shorter limit with `?timeout=5s`. Throws BadRequest when that is not a duration.
 */
export function withDeadline(maxTimeoutMs: number, clock: Clock): Filter {
  const timedOut = (): ApiError => newTimeoutError('request did not complete within the allotted timeout', 0);
  return (next) => async (state) => {
    if (isLongRunning(state.info)) return next(state);
    const timeoutMs = wantedTimeoutMs(state.query, maxTimeoutMs);
    const start = clock.monotonic();
    state.deadline = start + timeoutMs;
    return new Promise((resolve, reject) => {
      const timer = clock.setTimeout(() => reject(timedOut()), timeoutMs);
      next(state).then(
        (response) => {
          timer.cancel();
          resolve(limited(response, clock, () => timeoutMs - (clock.monotonic() - start)));
        },
        (error) => {
          timer.cancel();
          reject(error);
        },
      );
    });
  };
}

function wantedTimeoutMs(query: URLSearchParams, maxTimeoutMs: number): number {
  const wanted = query.get('timeout');
  if (!wanted) return maxTimeoutMs;
  try {
    const ms = durationToMs(wanted);
    return ms > 0 && ms < maxTimeoutMs ? ms : maxTimeoutMs;
  } catch (error) {
    const why = messageOf(error);
    throw newBadRequest(`invalid timeout specified in the request URL - ${why}`, { cause: error });
  }
}

function limited(response: ApiResponse, clock: Clock, msLeft: () => number): ApiResponse {
  const { body } = response;
  if (!body || !('stream' in body)) return response;
  return { ...response, body: limitedBody(body, clock, msLeft) };
}

function limitedBody({ stream }: StreamingBody, clock: Clock, msLeft: () => number): StreamingBody {
  return {
    stream: (sink) => {
      const timer = clock.setTimeout(() => sink.destroy(), msLeft(), { background: true });
      sink.onClose(() => timer.cancel());
      stream(sink);
    },
  };
}
