import type { RequestHeaders } from '@coxswain/component-base/http';
import { type Impersonation, isImpersonationHeader } from '../authorization/index.ts';
import { attributesOf } from './attributes-of.ts';
import type { Filter } from './filter.ts';

/** Replaces the user by the one in the impersonation headers. Throws Forbidden when the real user must not impersonate it. */
export function withImpersonation(impersonation: Impersonation): Filter {
  return (next) => async (state) => {
    const { headers } = state.request;
    if (!hasImpersonationHeader(headers)) return next(state);
    state.refused = true;
    const impersonated = await impersonation.impersonatedUser(headers, attributesOf(state));
    state.refused = false;
    if (impersonated) {
      state.impersonator = state.user;
      state.user = impersonated.user;
      state.impersonationConstraint = impersonated.constraint;
      const kept = Object.entries(headers).filter(([name]) => !isImpersonationHeader(name));
      state.replaceHeaders(Object.fromEntries(kept));
    }
    return next(state);
  };
}

function hasImpersonationHeader(headers: RequestHeaders): boolean {
  for (const name in headers) if (name.charCodeAt(0) === 0x69 && isImpersonationHeader(name)) return true;
  return false;
}
