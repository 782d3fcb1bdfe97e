import type { Logger } from '@coxswain/apimachinery/log';
import { headerOf } from '@coxswain/component-base/http';
import { requestLabels } from '../metrics/index.ts';
import type { Filter } from './filter.ts';

/**
 * Logs every request at verbosity 3, when it has a response. Costs nothing below that. Differs from upstream: a long-running
 * request such as a watch is logged when its response begins, not when it ends.
 */
export function withRequestLog(logger: Logger, nowMs: () => number): Filter {
  const requests = logger.named('httplog').v(3);
  return (next) => async (state) => {
    if (!requests.enabled) return next(state);
    const startMs = nowMs();
    const { request } = state;
    const response = await next(state);
    requests.info('HTTP', {
      verb: requestLabels(state).verb,
      URI: request.path + (request.search && `?${request.search}`),
      latencyMs: Math.round((nowMs() - startMs) * 1000) / 1000,
      userAgent: headerOf(request, 'user-agent'),
      'audit-ID': state.auditId,
      srcIP: request.connection.remoteAddress,
      resp: response.status,
    });
    return response;
  };
}
