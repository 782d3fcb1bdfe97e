import type { Clock } from '@coxswain/apimachinery/clock';
import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import { type RequestRecorder, requestLabels, type ServerMetrics } from '../metrics/index.ts';
import type { Filter } from './filter.ts';
import { isLongRunning } from './in-flight.ts';
import type { RequestState } from './request-state.ts';

/**
 * Counts and times what is answered. Only for what the server has (`isServed`): labels that clients could make up would
 * be without end; and as upstream, only for those who may ask. What lasts, such as a watch, is counted when it is over.
 */
export function withMetrics(metrics: ServerMetrics, clock: Clock, isServed: (state: RequestState) => boolean): Filter {
  return (next) => async (state) => {
    const started = clock.monotonic();
    const response = await next(state);
    if (!state.authorized || !isServed(state)) return response;
    const recorder = metrics.request(requestLabels(state));
    const record = (): void => recorder.record(response.status, (clock.monotonic() - started) / 1000, sizeOf(response));
    if (isLongRunning(state.info) && response.body && 'stream' in response.body) {
      // A watch of a custom resource ends with its definition, when all that was recorded of the resource is gone.
      const recordIfServed = (): void => (isServed(state) ? record() : undefined);
      return { ...response, body: lasting(response.body.stream, recorder, recordIfServed) };
    }
    record();
    return response;
  };
}

function lasting(stream: (sink: ResponseSink) => void, recorder: RequestRecorder, record: () => void) {
  return {
    stream: (sink: ResponseSink): void => {
      const { longRunning } = recorder;
      longRunning.inc();
      sink.onClose(() => {
        longRunning.dec();
        record();
      });
      stream(sink);
    },
  };
}

function sizeOf({ headers, body }: ApiResponse): number {
  if (body instanceof Uint8Array) return body.length;
  const length = headers['content-length'];
  return typeof length === 'string' ? Number(length) : 0;
}
