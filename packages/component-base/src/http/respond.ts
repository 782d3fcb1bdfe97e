import {
  type CodecFactory,
  type EndpointRestrictions,
  newInternalError,
  newRequestEntityTooLarge,
  type Serializer,
  type Status,
  toStatus,
  wantsPretty,
} from '@coxswain/apimachinery';
import type { ApiRequest, ApiResponse } from './handler.ts';

/** Returns the first value of a header; empty when it is missing. */
export function headerOf({ headers }: Pick<ApiRequest, 'headers'>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/**
 * Returns an error response: a Status in a media type that the client accepts, or in JSON when we support none of them.
 */
export function errorResponse(error: unknown, request: ApiRequest, codecs: CodecFactory): ApiResponse {
  const { accepted } = codecs.forOutput(headerOf(request, 'accept'), asItIs);
  const status = presentable(error);
  return accepted ? statusResponse(status, accepted, isPretty(request)) : statusResponse(status, codecs.json, true);
}

/** Returns an error response: a Status in JSON, for servers without other media types. */
export function jsonErrorResponse(error: unknown, request: ApiRequest): ApiResponse {
  const status = presentable(error);
  const text = isPretty(request) ? JSON.stringify(status, undefined, 2) : `${JSON.stringify(status)}\n`;
  return { ...jsonResponse(text), status: status.code ?? 500 };
}

export const jsonResponse = (text: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(text),
});

/** Errors are never converted to a Table. */
const asItIs: EndpointRestrictions = {
  allowsTransform: (_, target) => target === undefined,
  allowsStream: (schema) => schema === 'watch',
};

function isPretty(request: ApiRequest): boolean {
  const query = request.search.includes('pretty') ? new URLSearchParams(request.search).get('pretty') : undefined;
  return wantsPretty(query ?? undefined, headerOf(request, 'user-agent'));
}

function statusResponse(status: Status, serializer: Serializer, pretty: boolean): ApiResponse {
  const seconds = status.details?.retryAfterSeconds;
  return {
    status: status.code ?? 500,
    headers: {
      'content-type': serializer.mediaType,
      'cache-control': 'no-cache, private',
      ...(seconds && { 'retry-after': String(seconds) }),
    },
    body: serializer.encode(status, { pretty }),
  };
}

/** Messages of the RangeErrors that V8 throws for requests with too many or too deeply nested parts. */
const tooComplex: ReadonlySet<string> = new Set(['Maximum call stack size exceeded', 'Invalid string length']);

/**
 * Converts an error to a Status. A TypeError, which is a bug and not meant for clients, becomes a 500 without details.
 */
function presentable(error: unknown): Status {
  if (error instanceof RangeError && tooComplex.has(error.message)) {
    return toStatus(newRequestEntityTooLarge('the request has too many parts'));
  }
  const status = toStatus(error);
  return status.reason === undefined && error instanceof TypeError
    ? toStatus(newInternalError(new Error('an unexpected error occurred')))
    : status;
}

export const textResponse = (status: number, text: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: Buffer.from(text),
});

/** The response of Go's router for an unknown path. */
export const notFoundResponse = (): ApiResponse => textResponse(404, '404 page not found\n');
