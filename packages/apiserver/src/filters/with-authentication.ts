import type { RequestHeaders } from '@coxswain/component-base/http';
import { type Authenticator, unauthorized } from '../authentication/index.ts';
import type { Filter } from './filter.ts';
import { isLongRunning } from './in-flight.ts';

export interface AuthenticationOptions {
  readonly authenticator: Authenticator;
  /** Returns the headers without credentials. */
  readonly removeCredentials: (headers: RequestHeaders) => RequestHeaders;
}

const noAnnotations: Readonly<Record<string, string>> = {};

/** Authenticates the request. Throws Unauthorized when no authenticator accepts it. */
export function withAuthentication({ authenticator, removeCredentials }: AuthenticationOptions): Filter {
  return (next) => async (state) => {
    let found: Awaited<ReturnType<Authenticator['authenticate']>>;
    try {
      found = await authenticator.authenticate(state.request);
    } catch (error) {
      throw unauthorized(error);
    }
    if (!found) throw unauthorized();
    for (const warning of found.warnings ?? []) state.warn(warning);
    for (const [key, value] of Object.entries(found.annotations ?? noAnnotations)) state.annotate(key, value);
    state.user = found.user;
    // Only long-running requests may be proxied, which would leak the credentials.
    if (isLongRunning(state.info)) state.replaceHeaders(removeCredentials(state.request.headers));
    return next(state);
  };
}
