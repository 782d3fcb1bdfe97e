import type { ApiRequest, RequestHeaders } from '@coxswain/component-base/http';

/** What is for the next hop alone, as Go's reverse proxy has it. */
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

/** Who the client is, which nobody behind the server may learn or pretend to be told by it. */
const credentials = new Set(['authorization', 'x-remote-user', 'x-remote-uid', 'x-remote-group']);
const credentialPrefixes = ['x-remote-extra-', 'impersonate-'];

const bearerProtocol = 'base64url.bearer.authorization.k8s.io.';

type Headers = Record<string, string | readonly string[]>;

const isCredential = (name: string): boolean =>
  credentials.has(name) || credentialPrefixes.some((prefix) => name.startsWith(prefix));

/** The headers of a request as the server behind gets them, but for what concerns the connection to it. */
export function forwardedHeaders(request: ApiRequest): Headers {
  const headers = withoutHopByHop(request.headers, isCredential);
  // Trailers are all that the next hop may be told of.
  if (valuesOf(request.headers, 'te').some((value) => tokens(value).includes('trailers'))) headers.te = 'trailers';
  // The body is on its way already.
  delete headers.expect;
  return addForwarding(headers, request);
}

/** The headers of a request for an upgrade: with those of the handshake. */
export function upgradeHeaders(request: ApiRequest): Headers {
  const headers: Headers = Object.create(null);
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !isCredential(name) && !name.startsWith(':')) headers[name] = value;
  }
  // Differs from upstream, which takes the token out only if it was what told who the client is.
  const protocols = valuesOf(request.headers, 'sec-websocket-protocol').flatMap((value) => value.split(','));
  const others = protocols
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(bearerProtocol));
  if (others.length < protocols.length) headers['sec-websocket-protocol'] = others.join(',');
  return addForwarding(headers, request);
}

/** The headers of an answer as the client gets them. */
export function answeredHeaders(headers: RequestHeaders): Headers {
  return withoutHopByHop(headers, () => false);
}

/** The values of a header, one for each time it was sent. */
export function valuesOf(headers: RequestHeaders, name: string): readonly string[] {
  const value = headers[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

function withoutHopByHop(headers: RequestHeaders, isLeftOut: (name: string) => boolean): Headers {
  const named = new Set(valuesOf(headers, 'connection').flatMap(tokens));
  const kept: Headers = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 has fields of its own whose names begin with a colon.
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
