import type { ApiRequest, RequestHeaders } from '@coxswain/component-base/http';

/** Hop-by-hop headers, as in Go's reverse proxy. */
const hopByHop = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers with credentials or identity of the client, which must not reach the proxied server. */
const credentials = new Set(['authorization', 'x-remote-user', 'x-remote-uid', 'x-remote-group']);
const credentialPrefixes = ['x-remote-extra-', 'impersonate-'];

const bearerProtocol = 'base64url.bearer.authorization.k8s.io.';

type Headers = Record<string, string | readonly string[]>;

const isCredential = (name: string): boolean =>
  credentials.has(name) || credentialPrefixes.some((prefix) => name.startsWith(prefix));

/** Returns the headers for the proxied server, without hop-by-hop headers and credentials. */
export function forwardedHeaders(request: ApiRequest): Headers {
  const headers = withoutHopByHop(request.headers, isCredential);
  // Of TE, only `trailers` may be forwarded.
  if (valuesOf(request.headers, 'te').some((value) => tokens(value).includes('trailers'))) headers.te = 'trailers';
  // Node has already handled `Expect: 100-continue`.
  delete headers.expect;
  return addForwarding(headers, request);
}

/** Returns the headers of an upgrade request for the proxied server: with those of the handshake, without credentials. */
export function upgradeHeaders(request: ApiRequest): Headers {
  const headers: Headers = Object.create(null);
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !isCredential(name) && !name.startsWith(':')) headers[name] = value;
  }
  // Differs from upstream, which removes the bearer token subprotocol only if it was used for authentication.
  const protocols = valuesOf(request.headers, 'sec-websocket-protocol').flatMap((value) => value.split(','));
  const others = protocols
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(bearerProtocol));
  if (others.length < protocols.length) headers['sec-websocket-protocol'] = others.join(',');
  return addForwarding(headers, request);
}

/** Returns the response headers for the client, without hop-by-hop headers. */
export function answeredHeaders(headers: RequestHeaders): Headers {
  return withoutHopByHop(headers, () => false);
}

/** Returns the values of a header, one per occurrence. */
export function valuesOf(headers: RequestHeaders, name: string): readonly string[] {
  const value = headers[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

function withoutHopByHop(headers: RequestHeaders, isLeftOut: (name: string) => boolean): Headers {
  const named = new Set(valuesOf(headers, 'connection').flatMap(tokens));
  const kept: Headers = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 pseudo-headers begin with a colon.
    if (value === undefined || name.startsWith(':') || hopByHop.has(name) || named.has(name) || isLeftOut(name))
      continue;
    kept[name] = value;
  }
  return kept;
}

function addForwarding(headers: Headers, { headers: original, connection }: ApiRequest): Headers {
  const [host = valuesOf(original, ':authority')[0]] = valuesOf(original, 'host');
  if (host !== undefined) headers.host = host;
  const address = connection.remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  if (address !== '') headers['x-forwarded-for'] = [...valuesOf(original, 'x-forwarded-for'), address].join(', ');
  return headers;
}

const tokens = (value: string): string[] => value.split(',').map((token) => token.trim().toLowerCase());
