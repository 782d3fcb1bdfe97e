import { posix } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { newInternalError, newServiceUnavailable } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type ApiRequest, type ApiResponse, isUpgradeRequest } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import {
  brokenTransport,
  DialError,
  type Dialer,
  type DialResponse,
  type DialTarget,
  type Headers,
  hostPort,
} from './dialer.ts';
import { answeredHeaders, forwardedHeaders, valuesOf } from './forwarded-headers.ts';
import { HtmlLinkRewriter } from './html-link-rewriter.ts';
import { encodePath, type LinkOrigin, rewriteLink } from './link.ts';
import { responseBody } from './response-body.ts';
import { upgradeThrough } from './upgrade-tunnel.ts';

/** CORS headers of the proxied server must not apply to the origin of the API server. */
const crossOriginHeaders = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
];

/** Returns the path after `/proxy`, decoded and cleaned. Empty when there is not even a slash. */
export function proxyPath({ info }: RequestContext): string {
  const path = info.parts.slice(3).join('/');
  const slash = info.path.endsWith('/') ? '/' : '';
  return path === '' ? slash : posix.join('/', path, slash);
}

/**
 * Proxies a request of any method, and rewrites links in the response so that they lead through the API server. Bodies are streamed.
 * An upgrade becomes a tunnel. Throws ServiceUnavailable when the server cannot be reached.
 */
export async function reverseProxy(
  context: RequestContext,
  target: DialTarget,
  path: string,
  dialer: Dialer,
): Promise<ApiResponse> {
  const { request } = context;
  const search = request.search === '' ? '' : `?${request.search}`;
  const serverPath = encodePath(path || '/');
  // Differs from upstream, which drops the query of an upgrade.
  if (isUpgradeRequest(request)) return upgradeThrough(context, target, `${serverPath}${search}`, dialer);
  const prefix = encodePath(prefixOf(context));
  // Relative links of the root page need a trailing slash.
  if (path === '' && (request.method === 'GET' || request.method === 'HEAD'))
    return { status: 301, headers: { location: `${prefix}/${search}` }, body: new Uint8Array() };

  const headers = { ...forwardedHeaders(request), 'x-forwarded-uri': `${prefix}${serverPath}` };
  const response = await passOn(request, target, `${serverPath}${search}`, headers, dialer);
  const requestHost = valuesOf(headers, 'host')[0] ?? '';
  return answer(request, response, { serverHost: hostPort(target), requestHost, prefix });
}

/** Sends a client's request to another server and streams its body. Throws ServiceUnavailable. */
export async function passOn(
  request: ApiRequest,
  target: DialTarget,
  path: string,
  headers: Headers,
  dialer: Dialer,
): Promise<DialResponse> {
  const { method, signal } = request;
  try {
    const body = hasBody(request) && { body: request.streamBody() };
    return await dialer.dial(target, { method, path, headers, signal, ...body });
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    throw newServiceUnavailable(`error trying to reach service: ${brokenTransport(error)}`, { cause: error });
  }
}

/** Returns the path at the API server for the root of the proxied server. */
function prefixOf({ info }: RequestContext): string {
  const namespace = info.namespace === '' ? [] : ['namespaces', info.namespace];
  return posix.join('/', info.apiPrefix, info.apiVersion, ...namespace, ...info.parts.slice(0, 3));
}

function hasBody({ method, headers, connection }: ApiRequest): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return length !== '0';
  // Only in HTTP/1.1 a header shows that there is a body.
  return connection.protocol === 'HTTP/1.1'
    ? headers['transfer-encoding'] !== undefined
    : method !== 'GET' && method !== 'HEAD';
}

function answer(request: ApiRequest, response: DialResponse, origin: LinkOrigin): ApiResponse {
  const { status } = response;
  const headers = answeredHeaders(response.headers);
  for (const name of crossOriginHeaders) delete headers[name];
  const location = valuesOf(headers, 'location')[0];
  if (location !== undefined) {
    headers.location = rewriteLocation(location, origin, response);
  } else if (isHtml(headers)) {
    const rewrite = htmlRewriter(valuesOf(headers, 'content-encoding')[0] ?? '', origin);
    if (rewrite) {
      delete headers['content-length'];
      if (request.method !== 'HEAD') return { status, headers, body: responseBody(rewrite(response.body), 'break') };
    }
  }
  if (request.method !== 'HEAD') return { status, headers, body: responseBody(response.body, 'break') };
  // The response to HEAD has no body, but its stream must be read to the end before the connection can be reused.
  response.body.on('error', () => {}).resume();
  return { status, headers };
}

function rewriteLocation(location: string, origin: LinkOrigin, { body }: DialResponse): string {
  try {
    return rewriteLink(Buffer.from(location, 'latin1').toString('utf8'), origin);
  } catch (error) {
    body.destroy();
    const why = messageOf(error);
    throw newInternalError(new Error(`error trying to parse Location header: ${why}`, { cause: error }));
  }
}

const isHtml = (headers: Parameters<typeof valuesOf>[0]): boolean =>
  valuesOf(headers, 'content-type')[0]?.split(';', 1)[0]?.trim() === 'text/html';

/** Returns a function that rewrites a page, or undefined for unsupported content encodings. */
function htmlRewriter(encoding: string, origin: LinkOrigin): ((page: Readable) => Readable) | undefined {
  const rewriter = () => new HtmlLinkRewriter((link) => rewriteLink(link, origin));
  // An error in any stream destroys the last one, which its reader notices.
  if (encoding === '') return (page) => pipeline(page, rewriter(), () => {});
  if (encoding === 'gzip') return (page) => pipeline(page, createGunzip(), rewriter(), createGzip(), () => {});
  return undefined;
}
