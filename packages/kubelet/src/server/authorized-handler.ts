import type { Logger } from '@coxswain/client';
import type { Authenticator } from '@coxswain/component-base/authentication';
import type { Authorizer } from '@coxswain/component-base/authorization';
import { type ApiHandler, type ApiRequest, type ApiResponse, textResponse } from '@coxswain/component-base/http';
import { nodeAttributes } from './node-attributes.ts';
import { decodedPath } from './routes.ts';

export interface AuthorizedHandlerOptions {
  readonly nodeName: string;
  readonly authenticator: Authenticator;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly logger: Logger;
}

/**
 * Passes requests on whose user may make them. The others are refused with upstream's words.
 *
 * Differs from upstream: paths that do not exist need a permission, too.
 */
export function authorizedHandler(handler: ApiHandler, options: AuthorizedHandlerOptions): ApiHandler {
  return async (request) => (await refusalOf(request, options)) ?? (await handler(request));
}

/** Undefined if the request is allowed. */
async function refusalOf(
  request: ApiRequest,
  { nodeName, authenticator, authorizer, logger }: AuthorizedHandlerOptions,
): Promise<ApiResponse | undefined> {
  const path = decodedPath(request);
  if (path === undefined) return textResponse(400, '400 Bad Request');
  const found = await authenticator.authenticate(request).catch((error: unknown) => {
    logger.error('Unable to authenticate the request due to an error', error);
    return undefined;
  });
  if (!found) return textResponse(401, 'Unauthorized');
  const alternatives = nodeAttributes({ nodeName, user: found.user, method: request.method, path });
  for (const attributes of alternatives) {
    const { decision, error } = await authorizer.authorize(attributes);
    const { user, verb, resource, subresource } = attributes;
    if (error) {
      const about = { user: user.username, verb, resource, subresource };
      logger.error('Authorization error', error, about);
      const words = Object.entries(about).map(([name, value]) => `${name}=${value}`);
      return textResponse(500, `Authorization error (${words.join(', ')})`);
    }
    if (decision === 'allow') return undefined;
  }
  const [{ user, verb, resource }] = alternatives as [(typeof alternatives)[number]];
  const subresources = alternatives.map(({ subresource }) => subresource).join(' ');
  const about = `user=${user.username}, verb=${verb}, resource=${resource}, subresource(s)=[${subresources}]`;
  return textResponse(403, `Forbidden (${about})\n`);
}
