import { quote } from '@coxswain/apimachinery';
import type { ApiRequest } from '@coxswain/component-base/http';
import { textResponse } from '@coxswain/component-base/http';
import { type Authorizer, forbidden, withoutMarkup } from '../authorization/index.ts';
import { attributesOf } from './attributes-of.ts';
import type { Filter } from './filter.ts';

export interface AuthorizationOptions {
  readonly authorizer: Authorizer;
  /** Called for errors of authorizers. */
  readonly onError: (error: unknown, request: ApiRequest) => void;
}

/** Authorizes the request. Throws Forbidden when it is not allowed. Responds with a 500 when an authorizer failed. */
export function withAuthorization({ authorizer, onError }: AuthorizationOptions): Filter {
  return (next) => async (state) => {
    const attributes = attributesOf(state);
    const { decision, reason, error } = await authorizer.authorize(attributes);
    if (error && decision !== 'allow') {
      state.annotate('authorization.k8s.io/reason', 'internal error');
      onError(error, state.request);
      const { path, search } = state.request;
      const uri = quote(search === '' ? path : `${path}?${search}`);
      return textResponse(500, withoutMarkup(`Internal Server Error: ${uri}: ${error.message}\n`));
    }
    state.annotate('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
    state.annotate('authorization.k8s.io/reason', reason);
    state.refused = decision !== 'allow';
    if (state.refused) throw forbidden(attributes, reason);
    state.authorized = true;
    return next(state);
  };
}
