import { type ApiError, GroupResource, newGenericServerResponse } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';

/** Returns an error that names no resource, such as `the server could not find the requested resource`. */
export const genericError = (code: number, verb: string, serverMessage = ''): ApiError =>
  newGenericServerResponse({ code, verb, resource: GroupResource.of('', ''), serverMessage });

/**
 * For endpoints that upstream registers as go-restful routes with a method and media types. Throws what that routing
 * returns: MethodNotAllowed for methods other than GET, and NotAcceptable.
 */
export function checkRoute(context: RequestContext, mediaTypes: readonly string[]): void {
  const { method } = context.request;
  if (method !== 'GET') throw genericError(405, method);
  assertAccepts(context, mediaTypes);
}

/** Throws NotAcceptable when the Accept header has none of these media types. Like go-restful, it ignores `q` and `text/*`. */
export function assertAccepts({ request }: RequestContext, mediaTypes: readonly string[]): void {
  const accept = headerOf(request, 'accept') || '*/*';
  if (accept === '*/*' || mediaTypes.includes(accept)) return;
  const asked = accept.split(',').map((part) => part.split(';', 1)[0]!.trim());
  if (!asked.some((type) => type === '*/*' || mediaTypes.includes(type))) {
    throw genericError(
      406,
      request.method,
      `406: Not Acceptable\n\nAvailable representations: ${mediaTypes.join(', ')}`,
    );
  }
}

/** Returns a JSON response for a value that is not an API object. Like upstream's, it is always indented. */
export const rawJsonResponse = (value: unknown): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value, undefined, 2)),
});
