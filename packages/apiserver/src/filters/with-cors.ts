import { GoRegexp } from '@coxswain/apimachinery';
import { headerOf } from '@coxswain/component-base/http';
import type { Filter } from './filter.ts';

/** What upstream's server lets pages of other origins send and read. */
const allowed = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

/**
 * Lets pages of these origins, regular expressions of Go, read answers, errors included; and answers the question that browsers ask before
 * some requests (OPTIONS), for which they have no credentials. Requests of other origins are answered without these headers: it is
 * the browser that keeps the answer from the page.
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
