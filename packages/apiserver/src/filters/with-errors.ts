import { ApiError, type CodecFactory } from '@coxswain/apimachinery';
import type { ApiRequest, ApiResponse } from '@coxswain/component-base/http';
import { errorResponse } from '@coxswain/component-base/http';
import type { Filter } from './filter.ts';

export interface ErrorsOptions {
  readonly codecs: CodecFactory;
  /** Called for server errors: status 500 and above, and thrown values that are not an ApiError. */
  readonly onError: (error: unknown, request: ApiRequest) => void;
}

/** Turns thrown errors into responses, and adds the headers that all responses have. */
export function withErrors({ codecs, onError }: ErrorsOptions): Filter {
  return (next) => async (state) => {
    let response: ApiResponse;
    try {
      response = await next(state);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code >= 500) onError(error, state.request);
      response = errorResponse(error, state.request, codecs);
      if (state.refused) response.headers['x-content-type-options'] = 'nosniff';
    }
    response.headers['audit-id'] ??= state.auditId;
    response.headers['cache-control'] ??= 'no-cache, private';
    if (state.corsHeaders) Object.assign(response.headers, state.corsHeaders);
    const { flow } = state;
    if (flow) {
      response.headers['x-kubernetes-pf-flowschema-uid'] = flow.uid;
      response.headers['x-kubernetes-pf-prioritylevel-uid'] = flow.level.uid;
    }
    return response;
  };
}
