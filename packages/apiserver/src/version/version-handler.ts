import { versionInfo } from '@coxswain/component-base/version';
import { checkRoute, genericError, rawJsonResponse } from '../discovery/index.ts';
import type { ContextHandler } from '../http/request-context.ts';

/** `/version`, with or without a slash at the end: JSON and nothing else. */
export function versionHandler(gitVersion: string = versionInfo.gitVersion): ContextHandler {
  return async (context) => {
    if (!/^\/version\/*$/.test(context.info.path)) throw genericError(404, context.request.method);
    checkRoute(context, ['application/json']);
    return rawJsonResponse({ ...versionInfo, gitVersion });
  };
}
