import type { UserInfo } from '@coxswain/api';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ApiRequest, ApiResponse } from '@coxswain/component-base/http';
import type { Turns } from '../turns/turns.ts';

/** The target of a request, parsed from its method, path and query: upstream's RequestInfo. */
export interface RequestInfo {
  /** True for API resources, false for paths such as `/healthz` and for discovery documents. */
  readonly isResourceRequest: boolean;
  /** The percent-decoded path. */
  readonly path: string;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`, or the legacy `proxy`. For paths that
   * are not resources, the method in lower case.
   */
  readonly verb: string;
  /** `api` or `apis`; empty for other paths. */
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  /** Plural, in lower case. */
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path from the resource on: [resource, name, subresource, …]. */
  readonly parts: readonly string[];
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** A request as filters and endpoints see it. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** The user. Its name is empty until authentication. */
  user: UserInfo;
  /** Adds a `Warning` header to the response. Duplicate texts are sent once. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event; with `minLevel`, only if the event is at least at that level. */
  readonly annotate: (key: string, value: string, minLevel?: 'Request') => void;
  /** The deadline of the response, in the monotonic time of the server's clock. Undefined for long-running requests. */
  readonly deadline?: number | undefined;
  /** Must be called when a watch has sent its initial events, which are its expensive part. */
  readonly onWatchBegun?: (() => void) | undefined;
  /** The event loop that long work on the request yields to. */
  readonly eventLoop: EventLoop;
  /** Set for requests with a large body or object: work on them yields to the event loop. */
  turns?: Turns | undefined;
}

export type ContextHandler = (context: RequestContext) => Promise<ApiResponse>;
