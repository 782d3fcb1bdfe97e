import type { UserInfo } from '@coxswain/api';
import type { ApiRequest, RequestHeaders } from '../http/handler.ts';
import type { RequestContext, RequestInfo } from '../http/request-context.ts';
import { readRequestInfo } from '../http/request-info.ts';

const nobody: UserInfo = Object.freeze({ username: '' });

/** What is known of a request, and what is collected while it is answered. */
export class RequestState implements RequestContext {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  user: UserInfo = nobody;
  /** Who really asks, when `user` is somebody impersonated. */
  impersonator: UserInfo | undefined;
  /** What may be passed on: without credentials once they have been read. */
  headers: RequestHeaders;
  /** In the order in which they came, each once. */
  readonly warnings = new Set<string>();
  #annotations: Map<string, string> | undefined;

  /** `path` is the decoded one. */
  constructor(request: ApiRequest, path: string) {
    this.request = request;
    this.headers = request.headers;
    this.query = request.search === '' ? noQuery : new URLSearchParams(request.search);
    this.info = readRequestInfo(request.method, path, this.query);
  }

  readonly warn = (text: string): void => {
    this.warnings.add(text);
  };

  readonly annotate = (key: string, value: string): void => {
    this.#annotations ??= new Map();
    // The first one counts, as upstream has it.
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  };

  get annotations(): ReadonlyMap<string, string> {
    return this.#annotations ?? noAnnotations;
  }
}

/** Most requests have none, and nobody changes one. */
const noQuery = new URLSearchParams();
const noAnnotations: ReadonlyMap<string, string> = new Map();
