import type { UserInfo } from '@coxswain/api';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ApiRequest, ApiResponse } from '@coxswain/component-base/http';
import type { Turns } from '../turns/turns.ts';

/** What a request is for, read from its method and path alone: upstream's RequestInfo. */
export interface RequestInfo {
  /** Whether it is for an API resource rather than for a path such as `/healthz` or a discovery document. */
  readonly isResourceRequest: boolean;
  /** Decoded. */
  readonly path: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; else the method in lower case. */
  readonly verb: string;
  /** `api` or `apis`; empty when it is neither. */
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  /** Plural, in lower case. */
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** What follows the resource in the path: [resource, name, subresource, …]. */
  readonly parts: readonly string[];
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** A request on its way through the filters and to its endpoint. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** Who asks; filters before authentication find nobody here. */
  user: UserInfo;
  /** Where upstream sends a `Warning` header: each text once. */
  readonly warn: (text: string) => void;
  /** For the audit log. */
  readonly annotate: (key: string, value: string, minLevel?: 'Request') => void;
  /** When it must be answered, in the monotonic time of the server's clock; absent for what lasts. */
  readonly deadline?: number | undefined;
  /** To be called when a watch has sent what it begins with: from then on it costs little. */
  readonly onWatchBegun?: (() => void) | undefined;
  /** Where others get their turn while it is worked on. */
  readonly eventLoop: EventLoop;
  /** Of a request that brought much, which is worked on in turns with others; absent until that is known. */
  turns?: Turns | undefined;
}

export type ContextHandler = (context: RequestContext) => Promise<ApiResponse>;
