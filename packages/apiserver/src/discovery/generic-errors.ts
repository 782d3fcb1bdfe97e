import { type ApiError, GroupResource, newGenericServerResponse } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';

/** An error that knows nothing of what was asked for: `the server could not find the requested resource`. */
export const genericError = (code: number, verb: string, serverMessage = ''): ApiError =>
  newGenericServerResponse({ code, verb, resource: GroupResource.of('', ''), serverMessage });

/**
 * For endpoints that upstream registers as routes of a method and of media types: throws as the routing would, before
 * the endpoint itself looks at the request.
 */
export function checkRoute(context: RequestContext, mediaTypes: readonly string[]): void {
  const { method } = context.request;
  if (method !== 'GET') throw genericError(405, method);
  assertAccepts(context, mediaTypes);
}

/** Throws NotAcceptable, as routing does, when the client reads none of these. It knows neither `q` nor `text/*`. */
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

/** JSON as upstream prints what is no object of the API: always indented. */
export const rawJsonResponse = (value: unknown): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value, undefined, 2)),
});
