import {
  protocolsWithoutToken,
  type RequestHeaderNames,
  requestHeaderMatcher,
  standardRequestHeaders,
} from '@coxswain/component-base/authentication';
import type { RequestHeaders } from '@coxswain/component-base/http';

/**
 * Gives a function that takes out of a request's headers what its sender was recognized by, so that it is passed on to
 * nobody: the bearer token, wherever it stands, and the headers of front proxies. The same headers when there is nothing
 * to take out.
 */
export function credentialRemover(custom?: RequestHeaderNames): (headers: RequestHeaders) => RequestHeaders {
  const isProxyHeader = requestHeaderMatcher([standardRequestHeaders, ...(custom ? [custom] : [])]);
  const isCredential = (name: string): boolean => name === 'authorization' || isProxyHeader(name);
  return (headers) => {
    const protocols = protocolsWithoutToken(headers);
    if (protocols === undefined && !Object.keys(headers).some(isCredential)) return headers;
    const kept = Object.entries(headers).filter(([name]) => !isCredential(name));
    if (protocols !== undefined) kept.push(['sec-websocket-protocol', protocols]);
    return Object.fromEntries(kept);
  };
}
