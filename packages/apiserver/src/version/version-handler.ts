import { versionInfo } from '@coxswain/component-base/version';
import { checkRoute, genericError, rawJsonResponse } from '../discovery/index.ts';
import type { ContextHandler } from '../http/request-context.ts';

/** Serves `/version`, with or without trailing slashes, as JSON only. Throws NotFound for other paths. */
export function versionHandler(gitVersion: string = versionInfo.gitVersion): ContextHandler {
  return async (context) => {
    if (!/^\/version\/*$/.test(context.info.path)) throw genericError(404, context.request.method);
    checkRoute(context, ['application/json']);
    return rawJsonResponse({ ...versionInfo, gitVersion });
  };
}
