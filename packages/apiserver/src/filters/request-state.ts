import type { UserInfo } from '@coxswain/api';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ApiRequest, RequestHeaders } from '@coxswain/component-base/http';
import { headerOf, readQuery } from '@coxswain/component-base/http';
import { DelegatedRequest } from '../http/delegated-request.ts';
import type { RequestContext, RequestInfo } from '../http/request-context.ts';
import { readRequestInfo } from '../http/request-info.ts';
import type { Turns } from '../turns/turns.ts';

const nobody: UserInfo = Object.freeze({ username: '' });

/** What a request needs of the server. */
export interface RequestSurroundings {
  /** Names it in the audit log. */
  readonly uuid: () => string;
  readonly eventLoop: EventLoop;
}

/** What is known of a request, and what is collected while it is answered. */
export class RequestState implements RequestContext {
  request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  user: UserInfo = nobody;
  /** Whoever asks may do so. */
  authorized = false;
  /** Who really asks, when `user` is somebody impersonated. */
  impersonator: UserInfo | undefined;
  /** The permission that allowed it, where it was not one to impersonate whomever. */
  impersonationConstraint: string | undefined;
  /** Somebody asked for what they may not have: browsers shall not guess what the answer is made of. */
  refused = false;
  /** Where it was sorted in by priority and fairness. */
  flow: { readonly uid: string; readonly level: { readonly uid: string } } | undefined;
  /** Called when a watch has sent what it begins with. */
  onWatchBegun: (() => void) | undefined;
  /** In the order in which they came, each once. */
  readonly warnings = new Set<string>();
  #annotations: Map<string, string> | undefined;
  /** Of those, the ones that tell of the request's content. */
  readonly detailedAnnotations = new Set<string>();
  deadline: number | undefined;
  /** For pages of an allowed origin: headers of the answer, whatever it is. */
  corsHeaders: Readonly<Record<string, string>> | undefined;
  turns: Turns | undefined;
  readonly eventLoop: EventLoop;
  readonly #newAuditId: () => string;
  #auditId: string | undefined;

  /** `path` is the decoded one. */
  constructor(request: ApiRequest, path: string, { uuid, eventLoop }: RequestSurroundings) {
    this.request = request;
    this.eventLoop = eventLoop;
    this.#newAuditId = uuid;
    this.query = request.search === '' ? noQuery : readQuery(request.search);
    this.info = readRequestInfo(request.method, path, this.query);
  }

  /** Names the request in the audit log and in the answer: what the client calls it, or one of ours. */
  get auditId(): string {
    this.#auditId ??= headerOf(this.request, 'audit-id') || this.#newAuditId();
    return this.#auditId;
  }

  readonly warn = (text: string): void => {
    this.warnings.add(text);
  };

  readonly annotate = (key: string, value: string, minLevel?: 'Request'): void => {
    this.#annotations ??= new Map();
    // The first one counts, as upstream has it.
    if (this.#annotations.has(key)) return;
    this.#annotations.set(key, value);
    if (minLevel) this.detailedAnnotations.add(key);
  };

  /** From here on the request has these: what was read and concerns nobody else is gone. */
  replaceHeaders(headers: RequestHeaders): void {
    if (headers !== this.request.headers) this.request = new RequestWithHeaders(this.request, headers);
  }

  get annotations(): ReadonlyMap<string, string> {
    return this.#annotations ?? noAnnotations;
  }
}

/** Most requests have none, and nobody changes one. */
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
