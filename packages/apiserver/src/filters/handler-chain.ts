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
  /** In place of the limits of `inFlight`. */
  readonly priorityAndFairness?: Filter;
  /** Sends away who comes when the server stops. */
  readonly underWay: UnderWay;
  readonly uuid: () => string;
  readonly clock: Clock;
  /** Long work on requests goes on in slices on it. */
  readonly eventLoop: EventLoop;
  /** `--request-timeout`, for what is not long-running. */
  readonly requestTimeoutMs: number;
  /** `--cors-allowed-origins`: regular expressions; none by default. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Logs what is answered. */
  readonly requestLog?: Filter;
  /** Counts and times what is answered. */
  readonly metrics?: Filter;
  /** Write the audit log: of those who were authenticated, and of those who were not. */
  readonly audit?: Filter;
  readonly failedAuthenticationAudit?: Filter;
  /** Answers what has passed all filters. */
  readonly endpoint: StateHandler;
}

/**
 * Everything between the transport and the endpoints, outermost first:
 *
 * 1. the log of requests and metrics see every answer, with its warnings, and those that are errors, which become answers right after;
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
