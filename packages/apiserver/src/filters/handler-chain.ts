import type { Clock } from '@coxswain/apimachinery/clock';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ApiHandler } from '@coxswain/component-base/http';
import { textResponse } from '@coxswain/component-base/http';
import type { Impersonation } from '../authorization/index.ts';
import type { Filter, StateHandler } from './filter.ts';
import type { InFlight } from './in-flight.ts';
import { RequestState } from './request-state.ts';
import type { UnderWay } from './under-way.ts';
import { type AuthenticationOptions, withAuthentication } from './with-authentication.ts';
import { type AuthorizationOptions, withAuthorization } from './with-authorization.ts';
import { withCors } from './with-cors.ts';
import { withDeadline } from './with-deadline.ts';
import { type ErrorsOptions, withErrors } from './with-errors.ts';
import { withImpersonation } from './with-impersonation.ts';
import { withMaxInFlight } from './with-max-in-flight.ts';
import { withWarnings } from './with-warnings.ts';

export interface HandlerChainOptions extends ErrorsOptions, AuthenticationOptions, AuthorizationOptions {
  readonly impersonation: Impersonation;
  readonly inFlight: InFlight;
  /** Priority and fairness. When set, the limits of `inFlight` do not apply. */
  readonly priorityAndFairness?: Filter;
  /** Counts running requests, and refuses new ones once the server shuts down. */
  readonly underWay: UnderWay;
  readonly uuid: () => string;
  readonly clock: Clock;
  /** The event loop that long work on requests yields to. */
  readonly eventLoop: EventLoop;
  /** `--request-timeout`, for requests that are not long-running. */
  readonly requestTimeoutMs: number;
  /** `--cors-allowed-origins`: regular expressions; none by default. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Logs requests. */
  readonly requestLog?: Filter;
  /** Counts and times requests. */
  readonly metrics?: Filter;
  /** Writes audit events of authenticated requests. */
  readonly audit?: Filter;
  /** Writes audit events of requests whose authentication failed. */
  readonly failedAuthenticationAudit?: Filter;
  /** Handles the requests that passed all filters. */
  readonly endpoint: StateHandler;
}

/**
 * All filters between the transport and the endpoints, outermost first:
 *
 * 1. The request log and metrics see every response, with its warnings. The filters inside them turn errors into responses.
 * 2. Requests during shutdown and above the in-flight limits are refused before they cost anything.
 * 3. The deadline covers everything below it.
 * 4. CORS comes before authentication, because browsers send preflight requests without credentials.
 * 5. Authentication. All filters below need the user.
 * 6. Audit comes before impersonation, because audit events name the real user.
 * 7. Impersonation.
 * 8. Priority and fairness uses the impersonated user. It comes before authorization, which may call a webhook.
 */
export function handlerChain(options: HandlerChainOptions): ApiHandler {
  const { corsAllowedOrigins = [] } = options;
  const filters: (Filter | undefined)[] = [
    options.requestLog,
    options.metrics,
    withWarnings,
    withErrors(options),
    options.underWay.filter,
    options.priorityAndFairness ? undefined : withMaxInFlight(options.inFlight),
    withDeadline(options.requestTimeoutMs, options.clock),
    corsAllowedOrigins.length > 0 ? withCors(corsAllowedOrigins) : undefined,
    options.failedAuthenticationAudit,
    withAuthentication(options),
    options.audit,
    withImpersonation(options.impersonation),
    options.priorityAndFairness,
    withAuthorization(options),
  ];
  const chain = filters.reduceRight<StateHandler>((next, filter) => filter?.(next) ?? next, options.endpoint);
  return async (request) => {
    const path = decodePath(request.path);
    if (path === undefined) return textResponse(400, '400 Bad Request');
    return chain(new RequestState(request, path, options));
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
