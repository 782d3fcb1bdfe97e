import type { Clock } from '@coxswain/apimachinery/clock';
import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import { type RequestRecorder, requestLabels, type ServerMetrics } from '../metrics/index.ts';
import type { Filter } from './filter.ts';
import { isLongRunning } from './in-flight.ts';
import type { RequestState } from './request-state.ts';

/**
 * Counts and times requests. Only requests for served resources (`isServed`) are counted, because otherwise clients could
 * create any number of label values. As upstream, only authorized requests are counted. Long-running ones such as watches
 * are counted when they end.
 */
export function withMetrics(metrics: ServerMetrics, clock: Clock, isServed: (state: RequestState) => boolean): Filter {
  return (next) => async (state) => {
    const started = clock.monotonic();
    const response = await next(state);
    if (!state.authorized || !isServed(state)) return response;
    const recorder = metrics.request(requestLabels(state));
    const record = (): void => recorder.record(response.status, (clock.monotonic() - started) / 1000, sizeOf(response));
    if (isLongRunning(state.info) && response.body && 'stream' in response.body) {
      // Deleting a CustomResourceDefinition removes its resource's metrics and ends its watches. These must not add them again.
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
