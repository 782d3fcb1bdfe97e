import {
  protocolsWithoutToken,
  type RequestHeaderNames,
  requestHeaderMatcher,
  standardRequestHeaders,
} from '@coxswain/component-base/authentication';
import type { RequestHeaders } from '@coxswain/component-base/http';

/**
 * Returns a function that removes the credentials from a request's headers before it is forwarded: bearer tokens in
 * Authorization and in WebSocket subprotocols, and the headers of front proxies. It returns the same object when there
 * are none.
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
