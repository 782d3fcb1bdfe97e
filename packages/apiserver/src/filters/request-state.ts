import type { UserInfo } from '@coxswain/api';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ApiRequest, RequestHeaders } from '@coxswain/component-base/http';
import { headerOf, readQuery } from '@coxswain/component-base/http';
import { DelegatedRequest } from '../http/delegated-request.ts';
import type { RequestContext, RequestInfo } from '../http/request-context.ts';
import { readRequestInfo } from '../http/request-info.ts';
import type { Turns } from '../turns/turns.ts';

const nobody: UserInfo = Object.freeze({ username: '' });

/** The dependencies of a request on its server. */
export interface RequestSurroundings {
  /** Makes audit IDs. */
  readonly uuid: () => string;
  readonly eventLoop: EventLoop;
}

/** A request and the state that the filters collect while it is handled. */
export class RequestState implements RequestContext {
  request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  user: UserInfo = nobody;
  /** True once authorization allowed the request. */
  authorized = false;
  /** The authenticated user, when `user` is an impersonated one. */
  impersonator: UserInfo | undefined;
  /** The verb that allowed a constrained impersonation. Empty when the plain `impersonate` permission did. */
  impersonationConstraint: string | undefined;
  /** True when the request is forbidden. The error response then has `X-Content-Type-Options: nosniff`. */
  refused = false;
  /** The FlowSchema and PriorityLevelConfiguration that priority and fairness chose. */
  flow: { readonly uid: string; readonly level: { readonly uid: string } } | undefined;
  /** Called when a watch has sent its initial events. */
  onWatchBegun: (() => void) | undefined;
  /** Texts for `Warning` headers, in the order of `warn` calls, without duplicates. */
  readonly warnings = new Set<string>();
  #annotations: Map<string, string> | undefined;
  /** Keys of the annotations that belong in the audit log from level Request up only. */
  readonly detailedAnnotations = new Set<string>();
  deadline: number | undefined;
  /** CORS headers to add to any response. Set when the Origin header is allowed. */
  corsHeaders: Readonly<Record<string, string>> | undefined;
  turns: Turns | undefined;
  readonly eventLoop: EventLoop;
  readonly #newAuditId: () => string;
  #auditId: string | undefined;

  /** `path` is the decoded path. */
  constructor(request: ApiRequest, path: string, { uuid, eventLoop }: RequestSurroundings) {
    this.request = request;
    this.eventLoop = eventLoop;
    this.#newAuditId = uuid;
    this.query = request.search === '' ? noQuery : readQuery(request.search);
    this.info = readRequestInfo(request.method, path, this.query);
  }

  /** The audit ID, for the audit log and the response: the client's Audit-ID header, or a new UUID. */
  get auditId(): string {
    this.#auditId ??= headerOf(this.request, 'audit-id') || this.#newAuditId();
    return this.#auditId;
  }

  readonly warn = (text: string): void => {
    this.warnings.add(text);
  };

  readonly annotate = (key: string, value: string, minLevel?: 'Request'): void => {
    this.#annotations ??= new Map();
    // The first value of a key wins, as upstream.
    if (this.#annotations.has(key)) return;
    this.#annotations.set(key, value);
    if (minLevel) this.detailedAnnotations.add(key);
  };

  /** Replaces the headers of the request, to remove those that later filters and endpoints must not see. */
  replaceHeaders(headers: RequestHeaders): void {
    if (headers !== this.request.headers) this.request = new RequestWithHeaders(this.request, headers);
  }

  get annotations(): ReadonlyMap<string, string> {
    return this.#annotations ?? noAnnotations;
  }
}

/** Shared by all requests without a query. It must not be modified. */
const noQuery = new URLSearchParams();
const noAnnotations: ReadonlyMap<string, string> = new Map();

class RequestWithHeaders extends DelegatedRequest {
  readonly #headers: RequestHeaders;

  constructor(request: ApiRequest, headers: RequestHeaders) {
    super(request);
    this.#headers = headers;
  }

  override get headers(): RequestHeaders {
    return this.#headers;
  }
}
