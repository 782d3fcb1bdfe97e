import type { UserInfo } from '@coxswain/api';
import { quote } from '@coxswain/apimachinery';
import { type Authenticator, unauthorized } from '../authentication/index.ts';
import { type AuthorizationAttributes, type Authorizer, forbidden, withoutMarkup } from '../authorization/index.ts';
import { type ApiHandler, type ApiRequest, type ApiResponse, jsonErrorResponse, textResponse } from '../http/index.ts';

export interface SecuredHandlerOptions {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Called with errors of authorization and of the handler. */
  readonly onError: (error: unknown, request: ApiRequest) => void;
}

/** A component has no API resources: every request is a non-resource request. */
const attributesOf = (user: UserInfo, { method, path }: ApiRequest): AuthorizationAttributes => ({
  user,
  verb: method.toLowerCase(),
  resourceRequest: false,
  apiGroup: '',
  apiVersion: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  path,
});

/**
 * Passes authenticated and authorized requests to the handler. Other requests are answered with 401 or 403, without
 * details.
 */
export function securedHandler(handler: ApiHandler, options: SecuredHandlerOptions): ApiHandler {
  return async (request) => {
    const response = await respond(handler, options, request).catch((error: unknown) => {
      options.onError(error, request);
      return jsonErrorResponse(error, request);
    });
    return { ...response, headers: { 'cache-control': 'no-cache, private', ...response.headers } };
  };
}

async function respond(
  handler: ApiHandler,
  { authenticator, authorizer, onError }: SecuredHandlerOptions,
  request: ApiRequest,
): Promise<ApiResponse> {
  const found = await authenticator.authenticate(request).catch(() => undefined);
  if (!found) return jsonErrorResponse(unauthorized(), request);
  const attributes = attributesOf(found.user, request);
  const { decision, reason, error } = await authorizer.authorize(attributes);
  if (decision === 'allow') return handler(request);
  if (error) {
    onError(error, request);
    const uri = quote(request.search === '' ? request.path : `${request.path}?${request.search}`);
    return textResponse(500, withoutMarkup(`Internal Server Error: ${uri}: ${error.message}\n`));
  }
  const refusal = jsonErrorResponse(forbidden(attributes, reason), request);
  return { ...refusal, headers: { ...refusal.headers, 'x-content-type-options': 'nosniff' } };
}
