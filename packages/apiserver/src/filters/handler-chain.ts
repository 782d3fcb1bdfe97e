import { ApiError, type CodecFactory, quote } from '@coxswain/apimachinery';
import type { ApiHandler, ApiRequest, ApiResponse, RequestHeaders } from '@coxswain/component-base/http';
import { errorResponse, textResponse } from '@coxswain/component-base/http';
import { type Authenticator, unauthorized } from '../authentication/index.ts';
import {
  type AuthorizationAttributes,
  type Authorizer,
  forbidden,
  type Impersonation,
  isImpersonationHeader,
  withoutMarkup,
} from '../authorization/index.ts';
import { type InFlight, isLongRunning, tooManyRequests } from './in-flight.ts';
import { RequestState } from './request-state.ts';
import type { UnderWay } from './under-way.ts';
import { withCors } from './with-cors.ts';
import { withDeadline } from './with-deadline.ts';
import { withWarnings } from './with-warnings.ts';

export type StateHandler = (state: RequestState) => Promise<ApiResponse>;
/** Does something before the rest of the chain, or after it, or in place of it. */
export type Filter = (next: StateHandler) => StateHandler;

export interface HandlerChainOptions {
  readonly codecs: CodecFactory;
  readonly authenticator: Authenticator;
  /** Takes out of headers what must be passed on to nobody. */
  readonly removeCredentials: (headers: RequestHeaders) => RequestHeaders;
  readonly authorizer: Authorizer;
  readonly impersonation: Impersonation;
  readonly inFlight: InFlight;
  /** In place of the limits of `inFlight`. */
  readonly priorityAndFairness?: Filter;
  /** Sends away who comes when the server stops. */
  readonly underWay: UnderWay;
  readonly uuid: () => string;
  /** `--request-timeout`, for what is not long-running. */
  readonly requestTimeoutMs: number;
  /** `--cors-allowed-origins`: regular expressions; none by default. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Counts and times what is answered. */
  readonly metrics?: Filter;
  /** Write the audit log: of those who were authenticated, and of those who were not. */
  readonly audit?: Filter;
  readonly failedAuthenticationAudit?: Filter;
  /** Hears of errors that are the server's own. */
  readonly onError: (error: unknown, request: ApiRequest) => void;
  /** Answers what has passed all filters. */
  readonly endpoint: StateHandler;
}

/**
 * Everything between the transport and the endpoints, outermost first:
 *
 * 1. metrics see every answer, and those that are errors, which become answers right after;
 * 2. what comes too late, or is too much at once, is refused before it costs anything;
 * 3. time is limited from here on;
 * 4. CORS: browsers ask without credentials whether they may send a request;
 * 5. who asks: nothing below works without knowing it;
 * 6. audit, which names the real user, before impersonation makes it another one;
 * 7. impersonation;
 * 8. priority and fairness for whoever it is now, and then authorization, which may have to ask somebody.
 */
export function handlerChain(options: HandlerChainOptions): ApiHandler {
  const { corsAllowedOrigins = [] } = options;
  const filters: (Filter | undefined)[] = [
    options.metrics,
    withErrors(options),
    options.underWay.filter,
    options.priorityAndFairness ? undefined : withMaxInFlight(options),
    withDeadline(options.requestTimeoutMs),
    corsAllowedOrigins.length > 0 ? withCors(corsAllowedOrigins) : undefined,
    options.failedAuthenticationAudit,
    withAuthentication(options),
    options.audit,
    withImpersonation(options),
    options.priorityAndFairness,
    withAuthorization(options),
  ];
  const chain = filters.reduceRight<StateHandler>((next, filter) => filter?.(next) ?? next, options.endpoint);
  return async (request) => {
    const path = decodePath(request.path);
    if (path === undefined) return textResponse(400, '400 Bad Request');
    return chain(new RequestState(request, path, options.uuid));
  };
}

function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function withErrors({ codecs, onError }: HandlerChainOptions): Filter {
  return (next) => async (state) => {
    let response: ApiResponse;
    try {
      response = await next(state);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code >= 500) onError(error, state.request);
      response = errorResponse(error, state.request, codecs);
      if (state.refused) response.headers['x-content-type-options'] = 'nosniff';
    }
    const answered = withWarnings(response, state);
    answered.headers['audit-id'] ??= state.auditId;
    answered.headers['cache-control'] ??= 'no-cache, private';
    if (state.corsHeaders) Object.assign(answered.headers, state.corsHeaders);
    const { flow } = state;
    if (flow) {
      answered.headers['x-kubernetes-pf-flowschema-uid'] = flow.uid;
      answered.headers['x-kubernetes-pf-prioritylevel-uid'] = flow.level.uid;
    }
    return answered;
  };
}

function withMaxInFlight({ inFlight }: HandlerChainOptions): Filter {
  return (next) => async (state) => {
    if (isLongRunning(state.info)) return next(state);
    const leave = inFlight.enter(state.info.verb);
    if (!leave) return tooManyRequests();
    try {
      return await next(state);
    } finally {
      leave();
    }
  };
}

function withAuthentication({ authenticator, removeCredentials }: HandlerChainOptions): Filter {
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

function withImpersonation({ impersonation }: HandlerChainOptions): Filter {
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

const noAnnotations: Readonly<Record<string, string>> = {};

function hasImpersonationHeader(headers: RequestHeaders): boolean {
  for (const name in headers) if (name.charCodeAt(0) === 0x69 && isImpersonationHeader(name)) return true;
  return false;
}

function withAuthorization({ authorizer, onError }: HandlerChainOptions): Filter {
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

/** What the request wants, as authorizers see it. */
export function attributesOf({ info, user }: RequestState): AuthorizationAttributes {
  const { verb, apiGroup, apiVersion, resource, subresource, namespace, name, path, fieldSelector, labelSelector } =
    info;
  return {
    user,
    verb,
    resourceRequest: info.isResourceRequest,
    apiGroup,
    apiVersion,
    resource,
    subresource,
    namespace,
    name,
    path,
    ...(fieldSelector && { fieldSelector }),
    ...(labelSelector && { labelSelector }),
  };
}
