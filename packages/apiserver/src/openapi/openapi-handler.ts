import { parseAccept } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf, notFoundResponse } from '@coxswain/component-base/http';
import type { ContextHandler, RequestContext } from '../http/request-context.ts';
import type { DocumentFormat, OpenApiService, ServedDocument } from './openapi-service.ts';

/** Returns the accepted media types, each with the media type of the response and the format. */
const mediaTypes = (version: 'v2' | 'v3'): readonly (readonly [asked: string, answered: string, DocumentFormat])[] => {
  const protobuf = `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
  return [
    ['application/json', 'application/json', 'json'],
    [protobuf, protobuf, 'protobuf'],
    // An older name, which is not a valid media type, but used by kubectl.
    [`application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`, protobuf, 'protobuf'],
  ];
};

const v2Types = mediaTypes('v2');
const v3Types = mediaTypes('v3');

const empty = (status: number, headers: ApiResponse['headers'] = {}): ApiResponse => ({ status, headers });

/** Serves `/openapi/v2`, `/openapi/v3` and the documents below the latter, for any method. */
export function openApiHandler(service: OpenApiService, now: () => Date): ContextHandler {
  return async (context) => {
    const { path } = context.info;
    if (path === '/openapi/v2') return v2Response(context, service);
    if (path === '/openapi/v3') return indexResponse(service);
    return path.startsWith('/openapi/v3/')
      ? v3Response(context, service, path.slice('/openapi/v3/'.length), now)
      : notFoundResponse();
  };
}

/** Returns the paths for the index at `/`. */
export const openApiPaths = (): string[] => ['/openapi/v2', '/openapi/v3', '/openapi/v3/'];

const urlOf = (path: string, hash: string): string => `/openapi/v3/${path}?hash=${hash}`;

async function indexResponse(service: OpenApiService): Promise<ApiResponse> {
  const documents = [...(await service.v3Index())].map(([path, hash]) => [
    path,
    { serverRelativeURL: urlOf(path, hash) },
  ]);
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'last-modified': service.modified.toUTCString() },
    body: Buffer.from(JSON.stringify({ paths: Object.fromEntries(documents) })),
  };
}

async function v3Response(
  context: RequestContext,
  service: OpenApiService,
  path: string,
  now: () => Date,
): Promise<ApiResponse> {
  const hash = (await service.v3Index()).get(path);
  if (hash === undefined) return empty(404);
  const vary = { vary: 'Accept' };
  const [contentType, format] = chooseFormat(context, v3Types) ?? [];
  if (!contentType || !format) return empty(406, vary);
  const asked = context.query.get('hash');
  const headers = { ...vary, etag: `"${hash}"` };
  if (asked && asked !== hash) {
    return empty(301, { ...headers, 'content-type': contentType, location: urlOf(path, hash) });
  }
  const document = await service.v3(path, format);
  if (!document) return empty(404);
  // A document with its hash in the URL never changes.
  const forever: ApiResponse['headers'] = asked
    ? { 'cache-control': 'public, immutable', expires: inOneYear(now()) }
    : {};
  return conditional(context, document, contentType, { ...headers, ...forever });
}

async function v2Response(context: RequestContext, service: OpenApiService): Promise<ApiResponse> {
  const vary = { vary: ['Accept-Encoding', 'Accept'] };
  const [contentType, format] = chooseFormat(context, v2Types) ?? [];
  if (!contentType || !format) return empty(406, vary);
  const compress = acceptsGzip(headerOf(context.request, 'accept-encoding'));
  const document = compress ? await service.v2Gzipped(format) : await service.v2(format);
  const encoding: ApiResponse['headers'] = compress ? { 'content-encoding': 'gzip' } : {};
  return conditional(context, document, contentType, { ...vary, etag: `"${document.etag}"`, ...encoding });
}

function chooseFormat(
  context: RequestContext,
  types: ReturnType<typeof mediaTypes>,
): readonly [contentType: string, format: DocumentFormat] | undefined {
  for (const { type, subtype } of parseAccept(headerOf(context.request, 'accept') || '*/*')) {
    const found = types.find(([asked]) => {
      const [ownType, ownSubtype] = asked.split('/');
      return (type === '*' || type === ownType) && (subtype === '*' || subtype === ownSubtype);
    });
    if (found) return [found[1], found[2]];
  }
  return undefined;
}

/** Returns the document, or a 304 when the client has it already. */
function conditional(
  context: RequestContext,
  { bytes, etag, modified }: ServedDocument,
  contentType: string,
  more: ApiResponse['headers'],
): ApiResponse {
  const headers: ApiResponse['headers'] = { ...more, 'last-modified': modified.toUTCString() };
  const known = headerOf(context.request, 'if-none-match')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  // If-Modified-Since, which has a resolution of seconds, is used only without If-None-Match.
  const since = Date.parse(headerOf(context.request, 'if-modified-since'));
  const isKnown = known[0] ? known.includes(`"${etag}"`) || known.includes('*') : modified.getTime() < since + 1000;
  if (isKnown) {
    const { 'content-encoding': _, ...kept } = headers;
    return { status: 304, headers: kept };
  }
  return { status: 200, headers: { 'content-type': contentType, ...headers }, body: bytes };
}

const acceptsGzip = (header: string): boolean =>
  header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
    return name === 'gzip' && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  });

/** Returns the date in a year. As upstream, with UTC instead of HTTP's GMT. */
function inOneYear(now: Date): string {
  const then = new Date(now);
  then.setUTCFullYear(then.getUTCFullYear() + 1);
  return then.toUTCString().replace('GMT', 'UTC');
}
