import type { Clock } from '@coxswain/client';
import type { ApiHandler, ApiResponse } from '@coxswain/component-base/http';
import type { KubeletMetrics, ServedRequest } from '../metrics/kubelet-metrics.ts';

export interface MeasuredHandlerOptions {
  readonly metrics: Pick<KubeletMetrics, 'requestBegan'>;
  readonly serverType: ServedRequest['serverType'];
  readonly clock: Clock;
}

/** The paths that metrics tell apart. */
const knownPaths = new Set([
  'attach',
  'checkpoint',
  'configz',
  'containerLogs',
  'debug',
  'exec',
  'flagz',
  'healthz',
  'logs',
  'metrics',
  'metrics/cadvisor',
  'metrics/probes',
  'metrics/resource',
  'pods',
  'portForward',
  'run',
  'runningpods',
  'stats',
  'statusz',
]);
const knownMethods = new Set(['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT']);
/** Upstream's, which has `portforward` where paths have `portForward`. */
const longRunning = new Set(['exec', 'attach', 'portforward', 'debug']);

/** Counts and times the requests of a port. Streams and sessions last until they are closed. */
export function measuredHandler(
  handler: ApiHandler,
  { metrics, serverType, clock }: MeasuredHandlerOptions,
): ApiHandler {
  return async (request) => {
    const [, first = '', second] = request.path.split('/');
    const root = first === 'metrics' && second ? `metrics/${second}` : first;
    const path = knownPaths.has(root) ? root : 'other';
    const method = knownMethods.has(request.method) ? request.method : 'other';
    const ended = metrics.requestBegan({ method, path, serverType, isLongRunning: longRunning.has(path) });
    const begunMs = clock.monotonic();
    const end = (): void => ended((clock.monotonic() - begunMs) / 1000);
    try {
      const response = await handler(request);
      if (isOpen(response) && !request.signal.aborted) request.signal.addEventListener('abort', end, { once: true });
      else end();
      return response;
    } catch (error) {
      end();
      throw error;
    }
  };
}

const isOpen = ({ body }: ApiResponse): boolean => body !== undefined && ('stream' in body || 'upgrade' in body);
