import type { RequestHeaders } from '@coxswain/component-base/http';
import { type Authenticator, unauthorized } from '../authentication/index.ts';
import type { Filter } from './filter.ts';
import { isLongRunning } from './in-flight.ts';

export interface AuthenticationOptions {
  readonly authenticator: Authenticator;
  /** Takes out of headers what must be passed on to nobody. */
  readonly removeCredentials: (headers: RequestHeaders) => RequestHeaders;
}

const noAnnotations: Readonly<Record<string, string>> = {};

/** Finds out who asks. Throws a 401 when that cannot be known. */
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
    // Only what is passed on could give them away.
    if (isLongRunning(state.info)) state.replaceHeaders(removeCredentials(state.request.headers));
    return next(state);
  };
}
