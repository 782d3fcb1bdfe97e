import type { UserInfo } from '@coxswain/api';

/** A request to authorize: for a resource, or for a non-resource path (`/healthz`). */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /** `get`, `list`, `watch`, `create` …; for a non-resource path the HTTP method in lower case. */
  readonly verb: string;
  readonly resourceRequest: boolean;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** Empty for lists and creates. */
  readonly name: string;
  /** Only for non-resource requests. */
  readonly path: string;
  /** The selectors of the query, unparsed, for authorizers that evaluate them. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface Decision {
  /** With `no opinion` the next authorizer decides. A request that no authorizer allows is refused. */
  readonly decision: 'allow' | 'deny' | 'no opinion';
  /** Part of the 403 message, so it must not reveal anything secret to the client. */
  readonly reason: string;
  /**
   * An evaluation error. If no authorizer allows the request, it is answered with an internal error instead of a 403.
   */
  readonly error?: Error;
}

export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<Decision>;
  /** For SelfSubjectRulesReview: the rules of the user in a namespace, as far as they can be listed. */
  rulesFor(user: UserInfo, namespace: string): Promise<SubjectRules>;
}

export interface SubjectRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs: readonly string[];
  }[];
  /** True when the list of rules is not complete. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}
