import { GoRegexp } from '@coxswain/apimachinery';
import { headerOf } from '@coxswain/component-base/http';
import type { Filter } from './filter.ts';

/** Upstream's CORS headers. */
const allowed = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

/**
 * Adds CORS headers to the responses, errors included, for requests from the origins (Go regular expressions), and responds to
 * their preflight requests (OPTIONS), which have no credentials. Requests from other origins are served without these headers,
 * so the browser hides the response from the page.
 */
export function withCors(origins: readonly string[]): Filter {
  const patterns = origins.map((origin) => new GoRegexp(origin));
  return (next) => async (state) => {
    const origin = headerOf(state.request, 'origin');
    if (origin === '' || !patterns.some((pattern) => pattern.test(origin))) return next(state);
    state.corsHeaders = { 'access-control-allow-origin': origin, ...allowed };
    return state.request.method === 'OPTIONS' ? { status: 204, headers: {} } : next(state);
  };
}
