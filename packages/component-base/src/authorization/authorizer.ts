import type { UserInfo } from '@coxswain/api';

/** What somebody wants to do: with a resource, or with a path that is none (`/healthz`). */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /** `get`, `list`, `watch`, `create` …; for a path the HTTP method in lower case. */
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
  /** Of a request that is not for a resource. */
  readonly path: string;
  /** As they came in the query, unparsed; for authorizers that look at them. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface Decision {
  /** `no opinion` leaves it to the next; a request nobody allows is refused. */
  readonly decision: 'allow' | 'deny' | 'no opinion';
  /** Stands in the 403 that the client gets, so it says nothing that the client must not know. */
  readonly reason: string;
  /** What went wrong on the way. A request that nobody allows is then an internal error rather than forbidden. */
  readonly error?: Error;
}

export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<Decision>;
  /** For SelfSubjectRulesReview: what the user may do in a namespace, as far as it can be listed. */
  rulesFor(user: UserInfo, namespace: string): Promise<SubjectRules>;
}

export interface SubjectRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs: readonly string[];
  }[];
  /** Some of what the user may do could not be listed. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}
